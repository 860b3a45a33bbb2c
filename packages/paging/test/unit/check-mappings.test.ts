import { ENTRY_DIRTY, ENTRY_WRITE, type Mm, PG_ANON_EXCLUSIVE } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { checkMappings } from "../../src/check/index.ts";
import { folioAt } from "../describe-mm.ts";
import {
  BASE,
  createMachine,
  forkTask,
  type Machine,
  READ_WRITE,
  touch,
  withRegion,
} from "../machine.ts";

interface Subject {
  readonly machine: Machine;
  readonly mm: Mm;
  readonly child: Mm;
  /** A small folio of one address space. */
  readonly own: number;
  /** A small folio of both. */
  readonly shared: number;
  /** An order-2 folio of one. */
  readonly large: number;
}

function subject(): Subject {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  touch(machine, task, 0, 4, "w");
  const child = forkTask(machine, task);
  touch(machine, task, 0, 1, "w");
  machine.paging.thp.setSize(2, "always");
  touch(machine, task, 8, 1, "w");
  machine.batches.drainAll();
  const at = (page: number): number => folioAt(machine.memory, task.mm!, page);
  return { machine, mm: task.mm!, child: child.mm!, own: at(0), shared: at(1), large: at(8) };
}

const noExtra = (): number => 0;

function slotOf({ machine, mm }: Subject, page: number): number {
  return machine.memory.pageTables.pteSlot(mm.pgd, BASE + page);
}

test("a healthy machine has no violations", () => {
  const { machine } = subject();
  expect(checkMappings(machine.memory, machine.mms, noExtra)).toEqual([]);
  expect(checkMappings(machine.memory, machine.mms)).toEqual([]);
});

const breakages: [string, (s: Subject) => void, RegExp][] = [
  [
    "a wrong map count",
    (s) => (s.machine.memory.folios.mapcount[s.own]! += 1),
    /FOL-12: mapcount of page \d+ is 2, expected 1/,
  ],
  [
    "a wrong count of mapped pages",
    (s) => (s.machine.memory.folios.prev[s.large + 1] = 3),
    /FOL-12: pages mapped by PTEs is 3, expected 4/,
  ],
  [
    "a wrong count of PMD mappings",
    (s) => (s.machine.memory.folios.refcount[s.large + 1] = 1),
    /FOL-12: entire mapcount is 1, expected 0/,
  ],
  [
    "a reference too many",
    (s) => (s.machine.memory.folios.refcount[s.own]! += 1),
    /INV-09: 2 references, expected 1 mappings \+ 0 others/,
  ],
  [
    "a reference too few",
    (s) => (s.machine.memory.folios.refcount[s.shared] = 1),
    /INV-09: 1 references, expected/,
  ],
  [
    "a mapped folio without references",
    (s) => (s.machine.memory.folios.refcount[s.own] = 0),
    /INV-10: 0 references/,
  ],
  [
    "an exclusive page that two map",
    (s) => (s.machine.memory.folios.flags[s.shared]! |= PG_ANON_EXCLUSIVE),
    /INV-22: page \d+ is exclusive with 2 mappings/,
  ],
  [
    "a writable entry of a shared page",
    (s) => (s.machine.memory.pageTables.entries[slotOf(s, 1)]! |= ENTRY_WRITE),
    /INV-22: mm 1, virtual page \d+: writable entry/,
  ],
  [
    "a lost rmap",
    (s) => (s.machine.memory.folios.mapping[s.own] = 99 * 2 + 1),
    /RMAP-01: rmap misses VMA/,
  ],
  [
    "a wrong index",
    (s) => (s.machine.memory.folios.index[s.own] = BASE + 5),
    /RMAP-01: mm 1, virtual page \d+: maps frame/,
  ],
  [
    "an entry that is not present",
    (s) => (s.machine.memory.pageTables.entries[slotOf(s, 5)] = ENTRY_DIRTY),
    /PT-02: .*not present/,
  ],
  [
    "an entry outside of all VMAs",
    (s) => (s.mm.vmas[0]!.end = BASE + 8),
    /PT-02: mm 1, virtual page \d+: entry outside/,
  ],
  ["a VMA out of order", (s) => s.mm.vmas.push(s.mm.vmas.shift()!), /begins before/],
  ["a wrong resident count", (s) => (s.mm.anonPages += 1), /mm 1: anonPages is 9, expected 8/],
  [
    "a lost page table",
    (s) => void s.machine.memory.pageTables.allocTable(),
    /page tables in use, expected/,
  ],
  ["a stale cached page table", (s) => (s.mm.lastPmdTable += 1), /cached PMD table is/],
  [
    "a writable zero page",
    (s) => (s.machine.memory.pageTables.entries[slotOf(s, 6)] = 0x17),
    /FLT-12: .*expected the zero page/,
  ],
];

test.each(breakages)("%s is found", (_name, damage, line) => {
  const broken = subject();
  broken.machine.paging.mmapAnon(broken.mm, BASE + 32, 4, READ_WRITE | 4);
  damage(broken);
  expect(checkMappings(broken.machine.memory, broken.machine.mms, noExtra)).toContainEqual(
    expect.stringMatching(line),
  );
});

test("a folio mapped by an address space that is not named looks wrong", () => {
  const { machine, mm } = subject();
  expect(checkMappings(machine.memory, [mm])).toContainEqual(
    expect.stringMatching(/^FOL-12: mapcount of page \d+ is 2, expected 1/),
  );
});
