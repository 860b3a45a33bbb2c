import {
  ENTRY_ACCESSED,
  LRU_REFS_MASK,
  type Mm,
  PG_DIRTY,
  PG_REFERENCED,
  THP_DEFERRED_SPLIT_PAGE,
  THP_SPLIT_PMD,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { pmdString } from "../describe-mm.ts";
import { BASE, forkTask } from "../machine.ts";
import {
  createMappedMachine,
  type MappedMachine,
  PRIVATE,
  READ_ONLY,
  SHARED,
} from "../mapped-machine.ts";

/** A file of 1536 pages whose first 1024 are cached as two folios of 2 MiB. */
function hugeMachine(flags: number): MappedMachine {
  const machine = createMappedMachine(1536, flags);
  machine.cache(9, 0, 512);
  machine.batches.drainAll();
  return machine;
}

function pmds(machine: MappedMachine, who = machine.task0): string {
  return pmdString(machine.memory, who.mm as Mm, 1536);
}

test("a folio of 2 MiB is mapped by one PMD entry, for a read and for a shared write", () => {
  const machine = hugeMachine(SHARED);
  machine.access(5, 1, "r");
  machine.access(600, 1, "w");
  expect(pmds(machine)).toBe("HH.");
  expect(machine.pte()).toBe("y512Y512.512");
  expect(machine.task0.mm!.filePages).toBe(1024);
  expect(machine.faults()).toEqual([2, 0]);
  expect(machine.violations()).toEqual([]);
});

test("also the file's last folio, but none in MADV_NOHUGEPAGE (7.3.4)", () => {
  const machine = hugeMachine(READ_ONLY);
  machine.cache(9, 1024);
  machine.access(1100, 1, "r");
  expect(pmds(machine)).toBe("..H");
  machine.paging.madvise(machine.task0, BASE, 512, "nohugepage");
  machine.access(0, 1, "r");
  expect(pmds(machine)).toBe("T.H");
  expect(machine.violations()).toEqual([]);
});

test("a write to a leaf that a read made splits it: faults bring the pages back", () => {
  const shared = hugeMachine(SHARED);
  shared.access(5, 1, "r");
  shared.access(6, 1, "w");
  expect(pmds(shared)).toBe("H..");
  expect(shared.pte()).toBe("Y512.1024");
  expect(shared.memory.vmstat.values[THP_SPLIT_PMD]).toBe(1);
  const own = hugeMachine(PRIVATE);
  own.access(7, 1, "r");
  own.access(8, 1, "w");
  expect(own.pte()).toBe(".8Y1.1527");
  expect([own.task0.mm!.anonPages, own.task0.mm!.filePages]).toEqual([1, 0]);
  expect(own.violations()).toEqual([]);
});

test("unmapping a part takes the whole leaf away; unmapping all marks the folio once", () => {
  const machine = hugeMachine(SHARED);
  const { paging, task0, memory, file } = machine;
  machine.access(5, 1, "w");
  machine.access(600, 1, "r");
  const flagsOf = (page: number): number =>
    memory.folios.flags[memory.pageCache.lookup(file, page)] as number;
  paging.madvise(task0, BASE + 10, 4, "dontneed");
  expect(machine.pte()).toBe(".512y512.512");
  expect(flagsOf(0) & PG_DIRTY).toBe(PG_DIRTY);
  machine.access(600, 1, "r");
  paging.munmap(task0, BASE + 512, 512);
  expect(flagsOf(512) & LRU_REFS_MASK).toBe(0);
  expect(pmds(machine)).toBe("...");
  expect(machine.task0.mm!.filePages).toBe(0);
  expect(machine.violations()).toEqual([]);
});

test("a split leaf leaves its folio what it said: dirty, and referenced if it was young (PT-16)", () => {
  const machine = hugeMachine(SHARED);
  const { memory, paging, task0, file } = machine;
  machine.access(5, 1, "w");
  machine.access(600, 1, "r");
  const { flags } = memory.folios;
  const folios = [0, 512].map((page) => memory.pageCache.lookup(file, page));
  // As if writeback had forgotten the entry, and nobody had looked at the folios before.
  for (const folio of folios) flags[folio]! &= ~(PG_DIRTY | PG_REFERENCED);
  memory.pageTables.entries[memory.pageTables.pmdSlot(task0.mm!.pgd, BASE + 512)]! &=
    ~ENTRY_ACCESSED;
  paging.madvise(task0, BASE + 500, 24, "dontneed");
  const said = folios.map((folio) => (flags[folio] as number) & (PG_DIRTY | PG_REFERENCED));
  expect(said).toEqual([PG_DIRTY | PG_REFERENCED, 0]);
});

test("parts of a folio of a file are never queued for splitting (FOL-13)", () => {
  const machine = hugeMachine(READ_ONLY);
  const { paging, task0, memory } = machine;
  paging.madvise(task0, BASE, 1536, "nohugepage");
  machine.access(5, 1, "r");
  expect(pmds(machine)).toBe("T..");
  paging.madvise(task0, BASE, 100, "dontneed");
  expect(memory.vmstat.values[THP_DEFERRED_SPLIT_PAGE]).toBe(0);
});

test("a private mapping with copies forks without its leaves", () => {
  const machine = hugeMachine(PRIVATE);
  machine.access(5, 1, "r");
  machine.access(600, 1, "w");
  const child = forkTask(machine, machine.task0);
  expect(pmds(machine, child)).toBe(".T.");
  expect(machine.pte(child)).toBe(".600o1.935");
  machine.access(5, 1, "r", child);
  expect(pmds(machine, child)).toBe("HT.");
  expect(machine.violations()).toEqual([]);
});

test("without anything cached a fault that reads makes no page table before it maps", () => {
  const machine = createMappedMachine(1536, READ_ONLY);
  machine.paging.madvise(machine.task0, BASE, 1536, "hugepage");
  machine.access(5, 1, "r");
  expect(pmds(machine)).toBe("H..");
  expect(machine.faults()).toEqual([0, 1]);
});
