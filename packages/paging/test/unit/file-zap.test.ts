import {
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  type Mm,
  PG_REFERENCED,
  STATE_FILE_MAPPED,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { BASE, forkTask } from "../machine.ts";
import { createMappedMachine, type MappedMachine, PRIVATE, READ_ONLY } from "../mapped-machine.ts";

/** `R` and the LRU_REFS count of the cached folio of a page, `-` without PG_referenced. */
function refs({ memory, file }: MappedMachine, page: number): string {
  const word = memory.folios.flags[memory.pageCache.lookup(file, page)] as number;
  return word & PG_REFERENCED ? `R${(word & LRU_REFS_MASK) >>> LRU_REFS_PGOFF}` : "-";
}

test("unmapping a young entry marks its folio accessed, once for a run of one folio (REF-03)", () => {
  const machine = createMappedMachine(256, READ_ONLY);
  machine.cache(5, 64);
  machine.cache(0, 32, 33);
  machine.access(64, 1, "r");
  machine.access(32, 1, "r");
  machine.paging.munmap(machine.task0, BASE, 256);
  expect([refs(machine, 64), refs(machine, 32), refs(machine, 33)]).toEqual(["R0", "R0", "R0"]);
  expect(machine.violations()).toEqual([]);
});

test("an old entry, or a VMA without recency, says nothing (REF-03, REF-05)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.cache(0, 0, 1);
  machine.access(0, 1, "r");
  const slot = machine.memory.pageTables.pteSlot(machine.task0.mm!.pgd, BASE);
  machine.memory.pageTables.entries[slot]! &= ~4;
  machine.paging.madvise(machine.task0, BASE, 2, "dontneed");
  expect([refs(machine, 0), refs(machine, 1)]).toEqual(["-", "R0"]);
  machine.cache(0, 40);
  machine.paging.madvise(machine.task0, BASE, 64, "random");
  machine.access(40, 1, "r");
  machine.paging.munmap(machine.task0, BASE, 64);
  expect(refs(machine, 40)).toBe("-");
});

test("a file opened without reuse has no recency either (VMA-04)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.cache(0, 0);
  machine.openFile.noReuse = true;
  machine.access(0, 1, "r");
  machine.paging.munmap(machine.task0, BASE, 64);
  expect(refs(machine, 0)).toBe("-");
});

test("private copies are unmapped with the pages they stand among, and freed", () => {
  const machine = createMappedMachine(64, PRIVATE);
  machine.access(0, 4, "w");
  machine.access(4, 12, "r");
  const mm = machine.task0.mm as Mm;
  expect([mm.anonPages, mm.filePages]).toEqual([4, 12]);
  machine.paging.munmap(machine.task0, BASE, 64);
  machine.batches.drainAll();
  expect([mm.anonPages, mm.filePages]).toEqual([0, 0]);
  expect(machine.memcg.charged).toBe(machine.file.cachedPages);
  expect(machine.memory.states.of(STATE_FILE_MAPPED, machine.memcg.index)).toBe(0);
  expect(machine.violations()).toEqual([]);
});

test("truncation takes pages and private copies out of every address space (PGC-02)", () => {
  const machine = createMappedMachine(64, PRIVATE);
  const { paging, task0, file, memory } = machine;
  machine.access(0, 10, "w");
  const child = forkTask(machine, task0);
  const other = machine.task();
  paging.mmapFile(other.mm as Mm, BASE, 20, READ_ONLY, paging.openFile(file), 4);
  machine.access(0, 20, "r", other);
  paging.truncate(task0, file, 6);
  expect(machine.pte()).toBe("y6.58");
  expect(machine.pte(child)).toBe("o6.58");
  expect(machine.pte(other)).toBe("y2.62");
  expect(memory.pageCache.lookup(file, 6)).toBe(-1);
  expect(machine.violations()).toEqual([]);
});
