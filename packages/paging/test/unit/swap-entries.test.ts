import { PG_DIRTY, PG_SWAPCACHE } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { BASE, forkTask, READ_WRITE, touch } from "../machine.ts";
import { folioAt } from "../describe-mm.ts";
import { createSwapMachine, type SwapMachine } from "../swap-machine.ts";

function swappedOut(count: number): SwapMachine {
  const machine = createSwapMachine(count);
  machine.store(machine.task0, 0, count);
  machine.swapOut(0, count);
  return machine;
}

test("unmapping drops entries, slots and what the device held (SWP-04)", () => {
  const machine = swappedOut(8);
  machine.paging.munmap(machine.task0, BASE, 3);
  expect([machine.mm.swapEntries, machine.memcg.swap.usage]).toEqual([5, 5]);
  expect(machine.paging.swap.device.stored).toBe(5);
  expect(machine.violations()).toEqual([]);
});

test("the end of a program drops its entries; those of its child stay", () => {
  const machine = swappedOut(8);
  const child = forkTask(machine, machine.task0);
  expect(child.mm!.swapEntries).toBe(8);
  expect(machine.violations()).toEqual([]);
  machine.paging.exitMm(machine.task0, machine.mm);
  machine.mms.splice(0, 1);
  expect(machine.memcg.swap.usage).toBe(8);
  expect(machine.violations()).toEqual([]);
  machine.paging.exitMm(child, child.mm!);
  machine.mms.splice(0, 1);
  expect([machine.memcg.swap.usage, machine.memory.swap.free]).toEqual([0, 4095]);
  expect(machine.violations()).toEqual([]);
});

test("fork takes the exclusive bit from both sides (PT-20)", () => {
  const machine = swappedOut(1);
  const { entries } = machine.memory.pageTables;
  const slot = machine.memory.pageTables.pteSlot(machine.mm.pgd, BASE);
  expect(entries[slot]).toBe((1 << 6) | 2);
  const child = forkTask(machine, machine.task0);
  const copy = machine.memory.pageTables.pteSlot(child.mm!.pgd, BASE);
  expect([entries[slot], entries[copy]]).toEqual([1 << 6, 1 << 6]);
});

test("dropping the last entry of a cached folio that nobody maps frees the folio", () => {
  const machine = swappedOut(4);
  machine.paging.madvise(machine.task0, BASE, 4, "willneed");
  expect(machine.memcg.charged).toBe(4);
  expect(machine.letters(0, 4)).toBe("ssss");
  expect(machine.violations()).toEqual([]);
  machine.paging.madvise(machine.task0, BASE, 4, "dontneed");
  expect([machine.memcg.charged, machine.memcg.swap.usage]).toEqual([0, 0]);
  expect(machine.violations()).toEqual([]);
});

test("MADV_WILLNEED reads into the swap cache and drains; what is cached is not read twice", () => {
  const machine = swappedOut(4);
  machine.paging.madvise(machine.task0, BASE, 2, "willneed");
  machine.paging.madvise(machine.task0, BASE, 4, "willneed");
  expect(machine.counters()).toEqual([4, 0, 4, 0]);
  expect(machine.batches.queued(machine.task0.cpu)).toEqual([]);
});

test("MADV_FREE drops entries; a folio of the swap cache is cleaned if it can leave (REF-24)", () => {
  const machine = swappedOut(4);
  const child = forkTask(machine, machine.task0);
  touch(machine, machine.task0, 0, 1, "r");
  machine.batches.drainAll();
  const folio = folioAt(machine.memory, machine.mm, 0);
  machine.paging.madvise(machine.task0, BASE, 4, "free");
  expect([machine.letters(0, 4), machine.mm.swapEntries]).toEqual(["m...", 0]);
  const flags = (): number => machine.memory.folios.flags[folio] as number;
  expect(flags() & PG_SWAPCACHE).toBe(PG_SWAPCACHE);
  machine.paging.madvise(child, BASE, 4, "dontneed");
  machine.batches.drainAll();
  machine.batches.take();
  machine.paging.madvise(machine.task0, BASE, 4, "free");
  expect(flags() & (PG_SWAPCACHE | PG_DIRTY)).toBe(0);
  expect(machine.batches.take()).toContain(`lazyFree ${folio}`);
  expect(machine.violations()).toEqual([]);
});

test("MADV_COLD and munlock pass over what is swapped out", () => {
  const machine = swappedOut(4);
  machine.batches.take();
  machine.paging.madvise(machine.task0, BASE, 4, "cold");
  machine.paging.munlock(machine.task0, BASE, 4);
  expect(machine.letters(0, 4)).toBe("ssss");
  expect(machine.batches.take().filter((call) => call !== "drain")).toEqual([]);
});

test("a write to the page of a copy keeps what the other side has, and stores keep file contents", () => {
  const machine = createSwapMachine(2);
  machine.store(machine.task0, 0, 1);
  const child = forkTask(machine, machine.task0);
  machine.paging.store(child, BASE, 9);
  const { contents } = machine.memory.folios;
  expect(contents[folioAt(machine.memory, machine.mm, 0)]).toBe(1);
  expect(contents[folioAt(machine.memory, child.mm!, 0)]).toBe(9);
});

test("the private copy of a file page is never zeroes, whatever byte is stored in it", () => {
  const machine = createSwapMachine(2);
  const file = machine.memory.createFile({ name: "F", pages: 4 });
  const start = BASE + 4096;
  const openFile = machine.paging.openFile(file);
  machine.paging.mmapFile(machine.mm, start, 4, READ_WRITE, openFile, 0);
  machine.paging.store(machine.task0, start, 3);
  machine.paging.store(machine.task0, start, 0);
  machine.batches.drainAll();
  machine.paging.madvise(machine.task0, start, 1, "pageout");
  expect(machine.counters()).toEqual([1, 0, 0, 0]);
});

test("a write to a large folio of the swap cache reuses it once no entry needs its slots (FLT-54)", () => {
  const machine = createSwapMachine(8);
  machine.paging.thp.setSize(2, "always");
  machine.store(machine.task0, 0, 4);
  machine.swapOut(0, 4);
  const child = forkTask(machine, machine.task0);
  touch(machine, machine.task0, 0, 1, "r");
  const folio = folioAt(machine.memory, machine.mm, 0);
  expect(machine.letters(0, 4)).toBe("mmmm");
  const { cache } = machine.paging.swap;
  expect(cache.has(folio)).toBe(true);
  // The entries go without the cache being asked, as when the folio is locked by somebody else.
  for (let i = 0; i < 4; i++) {
    const slot = machine.memory.pageTables.pteSlot(child.mm!.pgd, BASE + i);
    machine.memory.pageTables.entries[slot] = 0;
    child.mm!.swapEntries -= 1;
    cache.put(cache.firstSlot(folio) + i);
  }
  touch(machine, machine.task0, 0, 1, "w");
  expect(folioAt(machine.memory, machine.mm, 0)).toBe(folio);
  expect([machine.letters(0, 4), cache.has(folio)]).toEqual(["wmmm", false]);
  expect(machine.violations()).toEqual([]);
});
