import { ENOMEM, NIL, PG_DIRTY, PG_SWAPCACHE, STATE_SHMEM, VM_SHARED } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { folioAt } from "../describe-mm.ts";
import { BASE, forkTask, touch } from "../machine.ts";
import { createSwapMachine, type SwapMachine } from "../swap-machine.ts";

function swappedOut(count: number): SwapMachine {
  const machine = createSwapMachine(count, VM_SHARED);
  machine.store(machine.task0, 0, count);
  machine.swapOut(0, count);
  return machine;
}

test("shared memory that is swapped out leaves entries in the page cache, none in page tables (PGC-03)", () => {
  const machine = swappedOut(4);
  const { memory, memcg } = machine;
  const file = memory.files[1]!;
  expect(machine.letters(0, 4)).toBe("....");
  expect([file.cachedPages, file.entries, machine.mm.swapEntries]).toEqual([0, 4, 0]);
  expect([memcg.charged, memcg.swap.usage]).toEqual([0, 4]);
  expect(memory.states.of(STATE_SHMEM, memcg.index)).toBe(0);
  expect([1, 2, 3, 4].map((slot) => memory.swap.counts[slot])).toEqual([1, 1, 1, 1]);
  expect(machine.violations()).toEqual([]);
});

test("a fault brings the page back into the page cache, dirty, its slot free; it is major (PGC-03)", () => {
  const machine = swappedOut(4);
  const { minorFaults } = machine.mm;
  touch(machine, machine.task0, 1, 1, "r");
  expect(machine.letters(0, 4)).toBe(".w..");
  const folio = folioAt(machine.memory, machine.mm, 1);
  const { flags, contents } = machine.memory.folios;
  expect((flags[folio] as number) & (PG_DIRTY | PG_SWAPCACHE)).toBe(PG_DIRTY);
  expect(contents[folio]).toBe(2);
  expect([machine.mm.majorFaults, machine.mm.minorFaults]).toEqual([1, minorFaults]);
  expect(machine.memcg.swap.usage).toBe(3);
  expect(machine.reclaim.refaults).toHaveLength(1);
  expect(machine.violations()).toEqual([]);
});

test("another program's fault finds the page in the cache and is minor", () => {
  const machine = swappedOut(2);
  const child = forkTask(machine, machine.task0);
  touch(machine, machine.task0, 0, 1, "r");
  touch(machine, child, 0, 1, "w");
  expect([child.mm!.majorFaults, child.mm!.minorFaults]).toEqual([0, 1]);
  expect(machine.violations()).toEqual([]);
});

test("MADV_WILLNEED reads into the swap cache, and the fault after it is minor", () => {
  const machine = swappedOut(2);
  machine.paging.madvise(machine.task0, BASE, 2, "willneed");
  expect(machine.memory.pageCache.lookup(machine.memory.files[1]!, 0)).toBe(NIL);
  expect(machine.violations()).toEqual([]);
  touch(machine, machine.task0, 0, 1, "r");
  expect(machine.mm.majorFaults).toBe(0);
  expect(machine.violations()).toEqual([]);
});

test("the end of the last mapping forgets what is swapped out", () => {
  const machine = swappedOut(4);
  machine.paging.madvise(machine.task0, BASE, 1, "willneed");
  machine.paging.munmap(machine.task0, BASE, 4);
  expect([machine.memcg.swap.usage, machine.memcg.charged]).toEqual([0, 0]);
  expect(machine.violations()).toEqual([]);
});

test("without swap the folio stays in the page cache", () => {
  const machine = createSwapMachine(1, VM_SHARED, 0);
  machine.store(machine.task0, 0, 1);
  const folio = folioAt(machine.memory, machine.mm, 0);
  const file = machine.memory.files[1]!;
  expect(machine.paging.swap.shmem.moveToSwap(file, folio)).toBe(-ENOMEM);
  expect(machine.memory.pageCache.lookup(file, 0)).toBe(folio);
  expect(machine.violations()).toEqual([]);
});
