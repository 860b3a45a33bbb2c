import {
  ENOMEM,
  PG_DIRTY,
  STATE_FILE,
  STATE_SWAPCACHED,
  type SwapDevice,
  THP_SWPOUT,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { SwapCache } from "../../src/swap/swap-cache.ts";
import { folioAt } from "../describe-mm.ts";
import { createSwapMachine, type SwapMachine } from "../swap-machine.ts";

function withFolio(order = 0): { readonly machine: SwapMachine; readonly folio: number } {
  const machine = createSwapMachine(1024);
  if (order > 0) machine.paging.thp.setSize(order, "always");
  machine.store(machine.task0, 0, 1);
  return { machine, folio: folioAt(machine.memory, machine.mm, 0) };
}

const device = (slots: number, synchronous: boolean): SwapDevice => ({
  slots,
  synchronous,
  write: () => 0,
  read: () => 0,
  free: () => {},
});

const REFERENCES = 1;

test("getting slots puts a folio into the swap cache: a reference a page, charged, counts 0 (SWP-03)", () => {
  const { machine, folio } = withFolio(2);
  const { memory, memcg, paging } = machine;
  const { cache } = paging.swap;
  expect(cache.allocSwap(folio)).toBe(0);
  const slot = cache.firstSlot(folio);
  expect(slot % 4).toBe(0);
  expect(cache.lookup(slot + 3)).toBe(folio);
  expect(memory.folios.refcount[folio]).toBe(4 + 4);
  expect(memcg.swap.usage).toBe(4);
  expect(memory.states.of(STATE_SWAPCACHED, memcg.index)).toBe(4);
  expect(memory.states.of(STATE_FILE, memcg.index)).toBe(0);
  expect(machine.violations()).toEqual([]);
});

test("memory.swap.max refuses slots and leaves everything as it was (SWP-03)", () => {
  const { machine, folio } = withFolio(2);
  const { memcg, paging, memory } = machine;
  const { free } = memory.swap;
  memcg.swap.max = 3;
  expect(paging.swap.cache.allocSwap(folio)).toBe(-ENOMEM);
  expect([memcg.swap.usage, memory.swap.free]).toEqual([0, free]);
  expect(machine.violations()).toEqual([]);
});

test("a device without room refuses slots", () => {
  const machine = createSwapMachine(4, 0, 2);
  machine.store(machine.task0, 0, 2);
  const { cache } = machine.paging.swap;
  expect(cache.allocSwap(folioAt(machine.memory, machine.mm, 0))).toBe(0);
  expect(cache.allocSwap(folioAt(machine.memory, machine.mm, 1))).toBe(-ENOMEM);
  expect(machine.memcg.swap.usage).toBe(1);
});

test("a folio whose slots nobody needs is dirty without them (SWP-06)", () => {
  const { machine, folio } = withFolio();
  const { memory, memcg, paging } = machine;
  const { cache } = paging.swap;
  cache.allocSwap(folio);
  memory.folios.flags[folio]! &= ~PG_DIRTY;
  const slot = cache.firstSlot(folio);
  cache.dup(slot);
  expect(cache.freeSwap(folio)).toBe(false);
  cache.put(slot);
  expect(cache.freeSwap(folio)).toBe(true);
  expect(cache.has(folio)).toBe(false);
  expect((memory.folios.flags[folio] as number) & PG_DIRTY).toBe(PG_DIRTY);
  expect(memory.folios.refcount[folio]).toBe(REFERENCES);
  expect([memcg.swap.usage, memory.states.of(STATE_SWAPCACHED, memcg.index)]).toEqual([0, 0]);
  expect(cache.freeSwap(folio)).toBe(false);
});

test("leaving the swap cache for good leaves the shadow where entries need the slot (SWP-05)", () => {
  const { machine, folio } = withFolio();
  const { cache } = machine.paging.swap;
  cache.allocSwap(folio);
  const slot = cache.firstSlot(folio);
  cache.dup(slot);
  cache.removeFromCache(folio, 99);
  expect(cache.shadowAt(slot)).toBe(99);
  expect(machine.memory.folios.refcount[folio]).toBe(REFERENCES + 1);
  cache.put(slot);
  expect([machine.memory.swap.isUsed(slot), machine.memcg.swap.usage]).toEqual([false, 0]);
});

test("a page of zeroes is marked and not written, and is read without a read (SWP-09, CNT-06, CNT-07)", () => {
  const machine = createSwapMachine(4);
  machine.store(machine.task0, 0, 2);
  const zero = folioAt(machine.memory, machine.mm, 1);
  machine.memory.folios.contents[zero] = 0;
  machine.swapOut(0, 2);
  expect(machine.counters()).toEqual([1, 1, 0, 0]);
  expect(machine.paging.swap.device.stored).toBe(1);
  machine.paging.access(machine.task0, machine.mm.vmas[0]!.start, false);
  machine.paging.access(machine.task0, machine.mm.vmas[0]!.start + 1, false);
  expect(machine.counters()).toEqual([1, 1, 1, 1]);
  expect(machine.memory.folios.contents[folioAt(machine.memory, machine.mm, 0)]).toBe(1);
  expect(machine.memory.folios.contents[folioAt(machine.memory, machine.mm, 1)]).toBe(0);
});

test("a large folio with one page that is not zero is written whole (CNT-03, CNT-06)", () => {
  const { machine, folio } = withFolio(9);
  const { cache } = machine.paging.swap;
  cache.allocSwap(folio);
  expect(cache.write(folio)).toBe(true);
  expect(machine.counters()).toEqual([512, 0, 0, 0]);
  expect(machine.memory.vmstat.values[THP_SWPOUT]).toBe(1);
  machine.memory.folios.contents[folio] = 0;
  expect(cache.write(folio)).toBe(true);
  expect(machine.counters()).toEqual([512, 512, 0, 0]);
  expect(machine.memory.vmstat.values[THP_SWPOUT]).toBe(1);
});

test("slots left for a memcg are those of the device, or fewer by a limit at or above it (TRIG-02)", () => {
  const { machine } = withFolio();
  const { memory, memcg, paging } = machine;
  const { cache } = paging.swap;
  const below = memory.createMemcg(memcg, 29, "below");
  expect([cache.freePages(null), cache.freePages(below)]).toEqual([4095, 4095]);
  memcg.swap.max = 100;
  expect([cache.freePages(memory.root), cache.freePages(below)]).toEqual([4095, 100]);
  below.swap.max = 7;
  expect([cache.freePages(memcg), cache.freePages(below)]).toEqual([100, 7]);
});

test("swap is full for a memcg that uses half of its limit (SWP-07)", () => {
  const { machine, folio } = withFolio(2);
  const { cache } = machine.paging.swap;
  cache.allocSwap(folio);
  machine.memcg.swap.max = 9;
  expect(cache.isFullFor(machine.memcg)).toBe(false);
  machine.memcg.swap.max = 8;
  expect(cache.isFullFor(machine.memcg)).toBe(true);
  expect(cache.isFullFor(machine.memory.root)).toBe(false);
});

test("an asynchronous device, or one of another size, is refused", () => {
  const { machine } = withFolio();
  expect(() => new SwapCache(machine.memory, device(4096, false))).toThrow(
    "swap on a device that is not synchronous is not modelled in this version",
  );
  expect(() => new SwapCache(machine.memory, device(5, true))).toThrow(
    "swap device of 5 slots, expected 4096",
  );
});
