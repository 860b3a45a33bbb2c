import { createRecordingHardware, type RecordingHardware } from "@lrugen/hardware/recording";
import { describe, expect, test } from "vitest";
import {
  LRU_ACTIVE_FILE,
  LRU_UNEVICTABLE,
  type Memcg,
  NIL,
  PG_ACTIVE,
  PG_MLOCKED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
  singleNode,
  UNEVICTABLE_PGCLEARED,
} from "../../src/index.ts";
import { checkAllocator, checkLists, checkLruvecs } from "../../src/check/index.ts";
import { type ListMachine, listMachine } from "../machine.ts";

interface RecordingMachine extends ListMachine {
  readonly hw: RecordingHardware;
  readonly a: Memcg;
  readonly b: Memcg;
}

function recordingMachine(): RecordingMachine {
  const hw = createRecordingHardware({ cpus: 1 });
  const machine = listMachine(singleNode(2048), hw);
  const { memory } = machine;
  const a = memory.createMemcg(memory.root, 2, "a");
  const b = memory.createMemcg(memory.root, 3, "b");
  return { ...machine, hw, a, b };
}

/** The lock operations since the last call, as `+/a` and `-/a`. */
function lockLog(hw: RecordingHardware): string[] {
  return hw.take().map((announcement) => {
    if (announcement.op !== "acquire" && announcement.op !== "release") return announcement.op;
    const memcg = announcement.lock.split(" ")[1];
    return `${announcement.op === "acquire" ? "+" : "-"}${memcg}`;
  });
}

/** One reference of each folio is dropped in one call. */
function putAll({ memory, cpu }: ListMachine, folios: readonly number[]): void {
  const refs = Int32Array.from(folios, () => 1);
  memory.release.putRefs(cpu, Int32Array.from(folios), refs, folios.length);
}

function expectConsistent({ memory }: ListMachine): void {
  const quiescent = checkLruvecs(memory, { quiescent: true });
  expect([...checkLists(memory), ...checkAllocator(memory), ...quiescent]).toEqual([]);
}

describe("put", () => {
  test("of one of two references keeps the folio and takes no lock", () => {
    const machine = recordingMachine();
    const folio = machine.onLru(0, 0, machine.a);
    machine.memory.folios.refcount[folio]! += 1;
    machine.memory.release.put(machine.cpu, folio);
    expect(machine.memory.folios.refcount[folio]).toBe(1);
    expect(lockLog(machine.hw)).toEqual([]);
    expectConsistent(machine);
  });

  test("of the last reference of a folio on an LRU takes its lock once (REL-09)", () => {
    const machine = recordingMachine();
    const folio = machine.onLru(PG_SWAPBACKED, 4, machine.a);
    machine.memory.release.put(machine.cpu, folio);
    expect(lockLog(machine.hw)).toEqual(["+/a", "-/a"]);
    expectConsistent(machine);
  });

  test("of the last reference of a folio on no LRU takes none (REL-09)", () => {
    const machine = recordingMachine();
    const folio = machine.memory.allocFolio(4, machine.a);
    machine.memory.release.put(machine.cpu, folio);
    expect(lockLog(machine.hw)).toEqual([]);
    expectConsistent(machine);
  });

  test.each([0, 1, 9])("gives all pages of order %i back and uncharges them", (order) => {
    const machine = recordingMachine();
    const { memory, a } = machine;
    const free = memory.allocator.freePages[0];
    const folio = machine.onLru(0, order, a);
    expect(a.charged).toBe(1 << order);
    memory.release.put(machine.cpu, folio);
    expect([a.charged, memory.allocator.freePages[0]]).toEqual([0, free]);
    expectConsistent(machine);
  });

  test("takes an unevictable folio off the count it is kept under (FOL-05)", () => {
    const machine = recordingMachine();
    const folio = machine.onLru(PG_UNEVICTABLE, 0, machine.a);
    const lruvec = machine.memory.lruvecOf(folio);
    expect(lruvec.sizeOf(LRU_UNEVICTABLE)).toBe(1);
    machine.memory.release.put(machine.cpu, folio);
    expect(lruvec.sizeOf(LRU_UNEVICTABLE)).toBe(0);
    expectConsistent(machine);
  });

  test("takes a classic active folio off its list (DEL-03)", () => {
    const machine = recordingMachine();
    for (const { lrugen } of machine.a.lruvecs) lrugen.enabled = false;
    const folio = machine.onLru(PG_ACTIVE, 0, machine.a);
    const lruvec = machine.memory.lruvecOf(folio);
    expect(lruvec.sizeOf(LRU_ACTIVE_FILE)).toBe(1);
    machine.memory.release.put(machine.cpu, folio);
    expect(lruvec.sizeOf(LRU_ACTIVE_FILE)).toBe(0);
    expectConsistent(machine);
  });

  test("counts the pages of a folio freed while mlocked, for the machine alone", () => {
    const machine = recordingMachine();
    const folio = machine.onLru(PG_MLOCKED | PG_UNEVICTABLE, 3, machine.a);
    machine.memory.release.put(machine.cpu, folio);
    const scopes = [machine.memory.vmstat, machine.a.vmstat];
    expect(scopes.map(({ values }) => values[UNEVICTABLE_PGCLEARED])).toEqual([8, 0]);
  });

  test("refuses more puts than there were references", () => {
    const machine = recordingMachine();
    const folio = machine.memory.allocFolio(0, machine.a);
    machine.memory.release.put(machine.cpu, folio);
    expect(() => machine.memory.release.put(machine.cpu, folio)).toThrow(
      `freed folio ${folio} with -1 references, expected 0`,
    );
  });

  test("refuses to free the zero page", () => {
    const { memory, cpu } = recordingMachine();
    expect(() => memory.release.put(cpu, memory.zeroPfn)).toThrow("freed a reserved page");
  });
});

describe("free", () => {
  test("refuses a folio that somebody still holds", () => {
    const { memory } = recordingMachine();
    const folio = memory.allocFolio(2, memory.root);
    expect(() => memory.release.free(folio)).toThrow(
      `freed folio ${folio} with 1 references, expected 0`,
    );
    expect(memory.root.charged).toBe(4);
  });
});

describe("putRefs", () => {
  test("holds the lock once for neighbours of one lruvec (REL-02)", () => {
    const machine = recordingMachine();
    const folios = Array.from({ length: 31 }, () => machine.onLru(0, 0, machine.a));
    putAll(machine, folios);
    expect(lockLog(machine.hw)).toEqual(["+/a", "-/a"]);
    expect(machine.a.charged).toBe(0);
    expectConsistent(machine);
  });

  test("relocks where the lruvec changes (REL-02, LOCK-04)", () => {
    const machine = recordingMachine();
    const { a, b } = machine;
    putAll(
      machine,
      [a, a, b, a, b, b].map((memcg) => machine.onLru(0, 0, memcg)),
    );
    expect(lockLog(machine.hw)).toEqual(["+/a", "-/a", "+/b", "-/b", "+/a", "-/a", "+/b", "-/b"]);
    expectConsistent(machine);
  });

  test("keeps the lock over survivors and folios on no LRU of other memcgs (REL-02)", () => {
    const machine = recordingMachine();
    const { memory, a, b } = machine;
    const first = machine.onLru(0, 0, a);
    const survivor = machine.onLru(0, 0, b);
    memory.folios.refcount[survivor] = 2;
    const offList = memory.allocFolio(0, b);
    const last = machine.onLru(0, 0, a);
    putAll(machine, [first, survivor, offList, last]);
    expect(lockLog(machine.hw)).toEqual(["+/a", "-/a"]);
    expect([a.charged, b.charged, memory.folios.refcount[survivor]]).toEqual([0, 1, 1]);
    expectConsistent(machine);
  });

  test("takes no lock when nothing dies on an LRU (REL-02)", () => {
    const machine = recordingMachine();
    const held = machine.onLru(0, 0, machine.a);
    machine.memory.folios.refcount[held] = 2;
    putAll(machine, [machine.memory.allocFolio(0, machine.a), held]);
    expect(lockLog(machine.hw)).toEqual([]);
  });

  test("drops as many references of a folio as it is told (REL-01)", () => {
    const machine = recordingMachine();
    const { memory, cpu } = machine;
    const [gone, kept] = [machine.onLru(0, 4, machine.a), machine.onLru(0, 4, machine.a)];
    memory.folios.refcount[gone] = 16;
    memory.folios.refcount[kept] = 17;
    memory.release.putRefs(cpu, Int32Array.of(gone, kept), Int32Array.of(16, 16), 2);
    expect([machine.a.charged, memory.folios.refcount[kept]]).toEqual([16, 1]);
    expectConsistent(machine);
  });

  test("skips empty slots, and slots beyond the count (REL-01)", () => {
    const machine = recordingMachine();
    const [first, second, beyond] = [0, 0, 0].map(() => machine.onLru(0, 0, machine.a));
    const folios = Int32Array.of(NIL, first!, NIL, second!, beyond!);
    machine.memory.release.putRefs(machine.cpu, folios, Int32Array.of(1, 1, 1, 1, 1), 4);
    expect([machine.a.charged, machine.memory.folios.refcount[beyond!]]).toEqual([1, 1]);
    expect(lockLog(machine.hw)).toEqual(["+/a", "-/a"]);
    expectConsistent(machine);
  });
});
