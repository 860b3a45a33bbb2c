import {
  PG_ANON_EXCLUSIVE,
  PG_DIRTY,
  PG_MLOCKED,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UPTODATE,
  VM_LOCKED,
  VM_RAND_READ,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { SHADOW } from "../fake-reclaim.ts";
import { folioAt } from "../describe-mm.ts";
import { forkTask, touch } from "../machine.ts";
import { createSwapMachine, type SwapMachine } from "../swap-machine.ts";

/** `count` written pages, all swapped out. */
function swappedOut(count: number, flags = 0): SwapMachine {
  const machine = createSwapMachine(count, flags);
  machine.store(machine.task0, 0, count);
  machine.swapOut(0, count);
  return machine;
}

function flagsAt(machine: SwapMachine, page: number): number {
  return machine.memory.folios.flags[folioAt(machine.memory, machine.mm, page)] as number;
}

test("what is swapped out is not mapped, charged or held by anything but its slots (SWP-04)", () => {
  const machine = swappedOut(8);
  const { mm, memcg } = machine;
  expect(machine.letters(0, 8)).toBe("ssssssss");
  expect([mm.anonPages, mm.swapEntries, memcg.charged, memcg.swap.usage]).toEqual([0, 8, 0, 8]);
  expect(machine.counters()).toEqual([8, 0, 0, 0]);
  expect(machine.violations()).toEqual([]);
});

test("a read fault maps the page writable but clean, and frees its slot (FLT-42, FLT-46)", () => {
  const machine = swappedOut(2);
  touch(machine, machine.task0, 0, 1, "r");
  expect(machine.letters(0, 2)).toBe("ws");
  const flags = flagsAt(machine, 0);
  const own = PG_DIRTY | PG_UPTODATE | PG_SWAPBACKED | PG_ANON_EXCLUSIVE | PG_REFERENCED;
  expect(flags & (own | PG_SWAPCACHE)).toBe(own);
  expect([machine.mm.swapEntries, machine.memcg.swap.usage]).toEqual([1, 1]);
  expect(machine.paging.swap.device.stored).toBe(1);
  expect(machine.violations()).toEqual([]);
});

test("only a write fault makes the entry dirty (FLT-42)", () => {
  const machine = swappedOut(2);
  touch(machine, machine.task0, 0, 1, "r");
  const { pageTables } = machine.memory;
  const slot = pageTables.pteSlot(machine.mm.pgd, machine.mm.vmas[0]!.start);
  touch(machine, machine.task0, 1, 1, "w");
  const dirty = [0, 1].map((i) => ((pageTables.entries[slot + i] as number) & 8) !== 0);
  expect(dirty).toEqual([false, true]);
});

test("a swap-in is a major fault, a folio found in the swap cache a minor one (FLT-40)", () => {
  const machine = swappedOut(2);
  const { minorFaults } = machine.mm;
  touch(machine, machine.task0, 0, 1, "r");
  expect([machine.mm.majorFaults, machine.mm.minorFaults]).toEqual([1, minorFaults]);
  machine.paging.madvise(machine.task0, machine.mm.vmas[0]!.start, 2, "willneed");
  touch(machine, machine.task0, 1, 1, "r");
  expect([machine.mm.majorFaults, machine.mm.minorFaults]).toEqual([1, minorFaults + 1]);
});

test("the refault is judged, then the folio is added, both while it is in the swap cache (FLT-41)", () => {
  const machine = swappedOut(1);
  touch(machine, machine.task0, 0, 1, "r");
  const folio = folioAt(machine.memory, machine.mm, 0);
  expect(machine.batches.take()).toEqual([`add ${folio}`]);
  expect(machine.reclaim.refaults).toHaveLength(1);
  const [refault] = machine.reclaim.refaults;
  expect([refault!.folio, refault!.shadow]).toEqual([folio, SHADOW]);
  expect(refault!.flags & PG_SWAPCACHE).toBe(PG_SWAPCACHE);
});

test("without recency a swap-in does not reference the folio (FLT-02)", () => {
  const machine = swappedOut(1, VM_RAND_READ);
  touch(machine, machine.task0, 0, 1, "r");
  expect(flagsAt(machine, 0) & PG_REFERENCED).toBe(0);
});

test("the memcg that swapped a page out pays for it again, not the one that faults (FLT-41)", () => {
  const machine = swappedOut(1);
  const other = machine.memory.createMemcg(machine.memory.root, 40, "other");
  machine.mm.memcg = other;
  touch(machine, machine.task0, 0, 1, "r");
  expect([machine.memcg.charged, other.charged]).toEqual([1, 0]);
  machine.swapOut(0, 1);
  machine.memcg.offline = true;
  touch(machine, machine.task0, 0, 1, "r");
  expect([machine.memcg.charged, other.charged]).toEqual([0, 1]);
});

test("slots of a memcg that is gone are charged above it, and their pages to who swaps them in (FLT-41)", () => {
  const machine = createSwapMachine(2);
  const { memory, memcg, mm } = machine;
  const below = memory.createMemcg(memcg, 41, "below");
  mm.memcg = below;
  machine.store(machine.task0, 0, 2);
  machine.swapOut(0, 2);
  expect([below.swap.usage, memcg.swap.usage]).toEqual([2, 2]);
  mm.memcg = memory.createMemcg(memory.root, 42, "other");
  machine.paging.removeMemcg(machine.task0, below);
  expect(memory.memcgs.includes(below)).toBe(false);
  expect(machine.violations()).toEqual([]);
  touch(machine, machine.task0, 0, 1, "r");
  expect([mm.memcg.charged, memcg.charged, memcg.swap.usage]).toEqual([1, 0, 1]);
  expect(machine.violations()).toEqual([]);
});

test("a large folio that went out whole comes back whole (FLT-40, FLT-42)", () => {
  const machine = createSwapMachine(16);
  machine.paging.thp.setSize(2, "always");
  machine.store(machine.task0, 0, 8);
  machine.swapOut(0, 8);
  touch(machine, machine.task0, 5, 1, "w");
  expect(machine.letters(0, 8)).toBe("sssswwww");
  const { folios } = machine.memory;
  const folio = folioAt(machine.memory, machine.mm, 5);
  expect([...folios.contents.subarray(folio, folio + 4)]).toEqual([5, 6, 7, 8]);
  expect(folioAt(machine.memory, machine.mm, 7)).toBe(folio);
  expect([machine.mm.swapEntries, machine.mm.majorFaults]).toEqual([4, 1]);
  expect((folios.flags[folio] as number) & PG_SWAPCACHE).toBe(0);
  expect(machine.violations()).toEqual([]);
});

test.each([
  [
    "one of its entries is gone",
    (m: SwapMachine) => m.paging.munmap(m.task0, m.mm.vmas[0]!.start + 6, 1),
  ],
  ["its size is disabled", (m: SwapMachine) => m.paging.thp.setSize(2, "never")],
  [
    "one of its pages is cached",
    (m: SwapMachine) => m.paging.madvise(m.task0, m.mm.vmas[0]!.start + 6, 1, "willneed"),
  ],
])("a large folio comes back page by page if %s (FLT-40)", (_why, spoil) => {
  const machine = createSwapMachine(16);
  machine.paging.thp.setSize(2, "always");
  machine.store(machine.task0, 0, 8);
  machine.swapOut(0, 8);
  spoil(machine);
  touch(machine, machine.task0, 5, 1, "r");
  expect(machine.letters(4, 2)).toBe("sw");
  expect(machine.memory.folios.isLarge(folioAt(machine.memory, machine.mm, 5))).toBe(false);
  expect(machine.violations()).toEqual([]);
});

test("slots of which some are marked as zeroes are not read together (FLT-40)", () => {
  const machine = createSwapMachine(16);
  machine.store(machine.task0, 0, 8);
  machine.memory.folios.contents[folioAt(machine.memory, machine.mm, 5)] = 0;
  machine.swapOut(0, 8);
  machine.paging.thp.setSize(2, "always");
  const slots = [4, 5].map((slot) => machine.paging.swap.swapIn.isReadable(slot, 2));
  expect(slots).toEqual([false, false]);
  expect(machine.paging.swap.swapIn.isReadable(2, 0)).toBe(true);
});

test("after a fork the first one back keeps the swap cache, the last one leaves it (FLT-46)", () => {
  const machine = swappedOut(1);
  const child = forkTask(machine, machine.task0);
  expect(machine.memory.swap.counts[1]).toBe(2);
  touch(machine, machine.task0, 0, 1, "r");
  expect([machine.letters(0, 1), flagsAt(machine, 0) & (PG_SWAPCACHE | PG_DIRTY)]).toEqual([
    "m",
    PG_SWAPCACHE,
  ]);
  expect(machine.violations()).toEqual([]);
  touch(machine, child, 0, 1, "r");
  expect(flagsAt(machine, 0) & (PG_SWAPCACHE | PG_DIRTY)).toBe(PG_DIRTY);
  expect(folioAt(machine.memory, child.mm!, 0)).toBe(folioAt(machine.memory, machine.mm, 0));
  expect(machine.violations()).toEqual([]);
});

test("a write fault on a shared entry copies in the same fault (FLT-45)", () => {
  const machine = swappedOut(1);
  const child = forkTask(machine, machine.task0);
  touch(machine, child, 0, 1, "w");
  expect([machine.letters(0, 1), machine.letters(0, 1, child.mm!)]).toEqual(["s", "w"]);
  expect(child.mm!.majorFaults).toBe(1);
  const folio = folioAt(machine.memory, child.mm!, 0);
  expect(machine.memory.folios.contents[folio]).toBe(1);
  const cached = machine.paging.swap.cache.lookup(1);
  expect(cached).not.toBe(folio);
  expect(machine.memory.folios.mapcount[cached]).toBe(0);
  expect(machine.violations()).toEqual([]);
});

test("what a fork shares is found by rmap for all sides, however long the first one lives (RMAP-01)", () => {
  const machine = swappedOut(1);
  const first = forkTask(machine, machine.task0);
  const second = forkTask(machine, machine.task0);
  touch(machine, first, 0, 1, "r");
  machine.paging.exitMm(first, first.mm!);
  machine.mms.splice(1, 1);
  touch(machine, second, 0, 1, "r");
  expect(machine.counters()).toEqual([1, 0, 1, 0]);
  expect(machine.violations()).toEqual([]);
});

test("a write to a page of the swap cache reuses it once no entry needs its slot (FLT-52)", () => {
  const machine = swappedOut(1);
  const child = forkTask(machine, machine.task0);
  touch(machine, machine.task0, 0, 1, "r");
  const folio = folioAt(machine.memory, machine.mm, 0);
  machine.batches.drainAll();
  machine.memory.pageTables.entries[
    machine.memory.pageTables.pteSlot(child.mm!.pgd, child.mm!.vmas[0]!.start)
  ] = 0;
  child.mm!.swapEntries -= 1;
  machine.memory.swap.counts[1] = 0;
  touch(machine, machine.task0, 0, 1, "w");
  expect(folioAt(machine.memory, machine.mm, 0)).toBe(folio);
  expect(flagsAt(machine, 0) & (PG_SWAPCACHE | PG_DIRTY)).toBe(PG_DIRTY);
  expect(machine.violations()).toEqual([]);
});

test("a write to a page whose slot another entry needs is a copy (FLT-52)", () => {
  const machine = swappedOut(1);
  forkTask(machine, machine.task0);
  touch(machine, machine.task0, 0, 1, "r");
  const folio = folioAt(machine.memory, machine.mm, 0);
  touch(machine, machine.task0, 0, 1, "w");
  expect(folioAt(machine.memory, machine.mm, 0)).not.toBe(folio);
  expect(machine.violations()).toEqual([]);
});

test("a locked VMA does not lock what it swaps in (FLT-44)", () => {
  const machine = swappedOut(4);
  machine.paging.mlock(machine.task0, machine.mm.vmas[0]!.start, 2);
  expect(machine.letters(0, 4)).toBe("wwss");
  expect(machine.mm.vmas[0]!.flags & VM_LOCKED).toBe(VM_LOCKED);
  expect(flagsAt(machine, 0) & PG_MLOCKED).toBe(0);
  expect(machine.mm.majorFaults).toBe(2);
});
