import { describe, expect, test } from "vitest";
import { structLayout } from "../../src/index.ts";
import {
  createRecordingHardware,
  RecordingCpu,
  type Announcement,
  type RecordingHardware,
} from "../../src/recording.ts";

function machine(): RecordingHardware {
  const hardware = createRecordingHardware({ cpus: 2 });
  hardware.defineLayout(
    structLayout("lruvec", 1, [
      ["lists", 80],
      ["lru_lock", 4],
      ["flags", 8],
    ]),
  );
  hardware.defineLayout(structLayout("pte", 1, [["value", 8]]));
  return hardware;
}

describe("the recording machine", () => {
  test("writes down what each CPU announces, in order", () => {
    const hardware = machine();
    const [first, second] = [hardware.cpus[0]!, hardware.cpus[1]!];
    const flags = hardware.line("lruvec", "flags", 0);
    const lock = hardware.lock("lru_lock", hardware.line("lruvec", "lru_lock", 0));
    hardware.region("pte", 512);
    const walk = hardware.visitProfile({
      name: "walk-pte",
      struct: "pte",
      instr: 12,
      accesses: [{ kind: "rmw", field: "value" }],
    });
    expect(first.costed).toBe(true);

    first.acquire(lock);
    first.work(5);
    first.load(flags);
    first.store(flags);
    second.rmw(flags);
    second.prefetchw(flags);
    first.release(lock);
    second.stream(4096, "zero");
    second.visit(walk, 7);
    second.fence();

    expect(hardware.announcements).toHaveLength(10);
    expect(hardware.take()).toEqual([
      { cpu: 0, op: "acquire", lock: "lru_lock" },
      { cpu: 0, op: "work", instr: 5 },
      { cpu: 0, op: "load", line: flags },
      { cpu: 0, op: "store", line: flags },
      { cpu: 1, op: "rmw", line: flags },
      { cpu: 1, op: "prefetchw", line: flags },
      { cpu: 0, op: "release", lock: "lru_lock" },
      { cpu: 1, op: "stream", bytes: 4096, kind: "zero" },
      { cpu: 1, op: "visit", profile: "walk-pte", obj: 7 },
      { cpu: 1, op: "fence" },
    ]);
    expect(hardware.announcements).toEqual([]);
  });

  test("keeps the rules of locks and records nothing for a refused acquire", () => {
    const hardware = machine();
    const lock = hardware.lock("lru_lock");
    hardware.cpus[0]!.acquire(lock);
    expect(() => hardware.cpus[0]!.acquire(lock)).toThrow("spin lock recursion");
    expect(() => hardware.cpus[1]!.release(lock)).toThrow("does not hold it");
    expect(hardware.take()).toHaveLength(1);
  });

  test("a visit of a profile nobody declared is refused", () => {
    expect(() => machine().cpus[0]!.visit(0, 0)).toThrow("visit profile 0 was never declared");
  });
});

describe("lines", () => {
  test("fields share a line if and only if they are in the same 64 bytes of the same object", () => {
    const hardware = machine();
    const at = (field: string, obj: number): number => hardware.line("lruvec", field, obj);
    expect(at("lru_lock", 3)).toBe(at("flags", 3));
    expect(at("lru_lock", 3)).toBe(at("lists", 3) + 1);
    const lines = [
      at("lists", 3),
      at("flags", 3),
      at("lists", 4),
      at("flags", 4),
      hardware.lock("own").line,
    ];
    expect(new Set(lines).size).toBe(5);
    expect(lines).not.toContain(0);
  });

  test("eight page table entries share a line of their region", () => {
    const hardware = machine();
    const region = hardware.region("pte", 16);
    const lines = Array.from(
      { length: 16 },
      (_, index) => region.line(index, 0) - region.line(0, 0),
    );
    expect(lines).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(() => region.line(16, 0)).toThrow(
      "pte[16]+0 is outside its region of 16 objects of 8 B",
    );
    expect(() => region.line(0, 8)).toThrow("pte[0]+8 is outside its region of 16 objects of 8 B");
  });

  test("can be asked whose they are", () => {
    const hardware = machine();
    const lines = [
      hardware.line("lruvec", "flags", 7),
      hardware.region("pte", 64).line(20, 0),
      hardware.lock("mm_list_lock").line,
    ];
    expect(lines.map((line) => hardware.where(line))).toEqual([
      "lruvec[7] line 1",
      "region pte line 2",
      "lock mm_list_lock",
    ]);
    expect(() => hardware.where(0)).toThrow("line 0 was never given out");
  });

  test("of unknown structs and fields are refused", () => {
    const hardware = machine();
    expect(() => hardware.line("lru_vec", "flags", 0)).toThrow(
      "struct lru_vec has no layout, expected one of: lruvec, pte",
    );
    expect(() => hardware.line("lruvec", "flag", 0)).toThrow("struct lruvec has no field flag");
  });
});

test("a recording CPU works without a machine, profiles then keep their numbers", () => {
  const seen: Announcement[] = [];
  const cpu = new RecordingCpu(3, (announcement) => seen.push(announcement));
  cpu.visit(4, 2);
  expect(seen).toEqual([{ cpu: 3, op: "visit", profile: "4", obj: 2 }]);
});
