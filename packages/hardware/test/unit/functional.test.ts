import { describe, expect, test } from "vitest";
import { createFunctionalHardware, structLayout, type Hardware } from "../../src/index.ts";

const page = structLayout("page", 64, [
  ["flags", 8],
  ["lru", 16],
]);

function machine(cpus = 2): Hardware {
  const hardware = createFunctionalHardware({ cpus });
  hardware.defineLayout(page);
  return hardware;
}

describe("the functional machine", () => {
  test("has numbered CPUs that price nothing", () => {
    const { costed, engine, cpus } = machine(3);
    expect({ costed, engine }).toEqual({ costed: false, engine: "functional" });
    expect(cpus.map(({ id, costed: priced }) => [id, priced])).toEqual([
      [0, false],
      [1, false],
      [2, false],
    ]);
  });

  test.each([0, -1, 1.5, 257, Number.NaN])("refuses %s CPUs", (cpus) => {
    expect(() => createFunctionalHardware({ cpus })).toThrow(
      `cpus is ${cpus}, expected an integer from 1 to 256`,
    );
  });

  test("can have 256 CPUs", () => {
    expect(machine(256).cpus).toHaveLength(256);
  });

  test("gives line 0 for everything", () => {
    const hardware = machine();
    const region = hardware.region("page", 1000);
    expect([
      hardware.line("page", "lru", 7),
      region.line(999, 8),
      hardware.lock("lru_lock").line,
    ]).toEqual([0, 0, 0]);
    expect([region.struct, region.count]).toEqual(["page", 1000]);
  });

  test("numbers visit profiles, which may be announced", () => {
    const hardware = machine();
    hardware.region("page", 4);
    const accesses = [{ kind: "rmw", field: "flags" }] as const;
    const profiles = ["age", "evict"].map((name) =>
      hardware.visitProfile({ name, struct: "page", instr: 10, accesses }),
    );
    expect(new Set(profiles).size).toBe(2);
    expect(() => hardware.cpus[0]!.visit(profiles[1]!, 3)).not.toThrow();
  });
});

describe("locks", () => {
  test("count acquisitions and know their holder", () => {
    const hardware = machine();
    const lock = hardware.lock("lru_lock");
    const [first, second] = [hardware.cpus[0]!, hardware.cpus[1]!];
    expect([lock.holder, lock.acquisitions]).toEqual([-1, 0]);
    first.acquire(lock);
    expect([lock.holder, lock.acquisitions]).toEqual([0, 1]);
    first.release(lock);
    second.acquire(lock);
    expect([lock.holder, lock.acquisitions]).toEqual([1, 2]);
    second.release(lock);
    expect([lock.holder, lock.acquisitions]).toEqual([-1, 2]);
  });

  test("of one class may share a name and are listed in order", () => {
    const hardware = machine();
    const locks = [
      hardware.lock("lru_lock"),
      hardware.lock("mm_list_lock"),
      hardware.lock("lru_lock"),
    ];
    expect(hardware.locks).toEqual(locks);
    expect(locks.map(({ name, id }) => [name, id])).toEqual([
      ["lru_lock", 0],
      ["mm_list_lock", 1],
      ["lru_lock", 2],
    ]);
  });

  test("taken twice by one CPU is recursion", () => {
    const hardware = machine();
    const lock = hardware.lock("lru_lock");
    hardware.cpus[0]!.acquire(lock);
    expect(() => hardware.cpus[0]!.acquire(lock)).toThrow("spin lock recursion");
    expect(lock.acquisitions).toBe(1);
  });

  test("held by another CPU was forgotten there", () => {
    const hardware = machine();
    const lock = hardware.lock("lru_lock");
    hardware.cpus[0]!.acquire(lock);
    expect(() => hardware.cpus[1]!.acquire(lock)).toThrow("spin lock held across operations");
  });

  test("released by a CPU that does not hold them are refused", () => {
    const hardware = machine();
    const lock = hardware.lock("lru_lock");
    const notHeld = "spin lock released by a CPU that does not hold it";
    expect(() => hardware.cpus[0]!.release(lock)).toThrow(notHeld);
    hardware.cpus[0]!.acquire(lock);
    expect(() => hardware.cpus[1]!.release(lock)).toThrow(notHeld);
    expect(lock.holder).toBe(0);
  });
});

describe("layouts", () => {
  test("of unknown structs are refused with the list of known ones", () => {
    expect(() => createFunctionalHardware({ cpus: 1 }).layout("page")).toThrow(
      "struct page has no layout, none is defined",
    );
    expect(() => machine().layout("folio")).toThrow(
      "struct folio has no layout, expected one of: page",
    );
  });

  test("can be replaced until lines are given out", () => {
    const hardware = machine();
    const patched = structLayout("page", 64, [
      ["lru", 16],
      ["flags", 8],
    ]);
    hardware.defineLayout(patched);
    expect(hardware.layout("page")).toBe(patched);
    hardware.region("page", 1);
    hardware.defineLayout(patched);
    expect(() => hardware.defineLayout(page)).toThrow(
      "layout of struct page changed after its lines were given out, define it before",
    );
  });
});

describe("regions and profiles are checked when they are declared", () => {
  test.each([0, -1, 1.5])("a region of %s objects is refused", (count) => {
    expect(() => machine().region("page", count)).toThrow(
      `region of struct page has ${count} objects, expected a positive integer`,
    );
  });

  test("a struct has one region", () => {
    const hardware = machine();
    hardware.region("page", 1);
    expect(() => hardware.region("page", 1)).toThrow("struct page already has a region");
  });

  test("a profile needs a region and real fields", () => {
    const hardware = machine();
    const profile = {
      name: "age",
      struct: "page",
      instr: 1,
      accesses: [{ kind: "load", field: "flags" }],
    } as const;
    expect(() => hardware.visitProfile(profile)).toThrow(
      "visit profile age: struct page has no region",
    );
    hardware.region("page", 1);
    expect(() =>
      hardware.visitProfile({ ...profile, accesses: [{ kind: "load", field: "flgs" }] }),
    ).toThrow("struct page has no field flgs");
  });
});
