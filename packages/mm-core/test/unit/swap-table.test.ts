import { expect, test } from "vitest";
import { NO_SLOT, SwapTable } from "../../src/index.ts";

const MEMCG = 3;

test("a machine without swap has no slot to give", () => {
  const table = new SwapTable(0);
  expect(table.free).toBe(0);
  expect(table.alloc(0, 7, MEMCG)).toBe(NO_SLOT);
});

test("the header is never given out, and slots are handed out one after the other (SWP-03)", () => {
  const table = new SwapTable(4);
  expect(table.free).toBe(3);
  expect([table.alloc(0, 7, MEMCG), table.alloc(0, 8, MEMCG), table.alloc(0, 9, MEMCG)]).toEqual([
    1, 2, 3,
  ]);
  expect(table.alloc(0, 10, MEMCG)).toBe(NO_SLOT);
  expect(table.free).toBe(0);
});

test("a large folio gets contiguous, aligned slots in a cluster of its order (SWP-03)", () => {
  const table = new SwapTable(2048);
  expect(table.alloc(0, 7, MEMCG)).toBe(1);
  expect(table.alloc(2, 8, MEMCG)).toBe(512);
  expect(table.alloc(2, 12, MEMCG)).toBe(516);
  expect(table.alloc(9, 512, MEMCG)).toBe(1024);
  expect(table.alloc(0, 20, MEMCG)).toBe(2);
  expect([...table.frames.subarray(516, 521)]).toEqual([12, 13, 14, 15, -1]);
  expect(table.memcgs[517]).toBe(MEMCG);
});

test("order 0 falls back to clusters of other orders, large folios do not (SWP-03)", () => {
  const table = new SwapTable(1024);
  for (let i = 1; i < 512; i++) table.alloc(0, i, MEMCG);
  expect(table.alloc(2, 600, MEMCG)).toBe(512);
  expect(table.alloc(0, 700, MEMCG)).toBe(516);
  expect(table.alloc(9, 800, MEMCG)).toBe(NO_SLOT);
  expect(table.alloc(2, 900, MEMCG)).toBe(520);
});

test("a slot is free once nothing counts and no frame caches it (SWP-02)", () => {
  const table = new SwapTable(16);
  const slot = table.alloc(0, 7, MEMCG);
  table.dup(slot);
  table.dup(slot);
  expect(table.put(slot)).toBe(false);
  expect(table.put(slot)).toBe(false);
  expect(table.isUsed(slot)).toBe(true);
  expect(table.uncache(slot, undefined)).toBe(true);
  expect(table.isUsed(slot)).toBe(false);
  expect(() => table.put(slot)).toThrow("swap slot 1 has no entry to drop");
});

test("a shadow stays while entries need the slot, and is used up by caching it again (SWP-05)", () => {
  const table = new SwapTable(16);
  const slot = table.alloc(0, 7, MEMCG);
  table.dup(slot);
  expect(table.uncache(slot, 2 ** 40)).toBe(false);
  expect(table.shadowAt(slot)).toBe(2 ** 40);
  table.cache(slot, 9);
  expect(table.frames[slot]).toBe(9);
  expect(table.shadowAt(slot)).toBeNaN();
});

test("freeing a slot forgets its shadow and its zero mark", () => {
  const table = new SwapTable(16);
  const slot = table.alloc(0, 7, MEMCG);
  table.zeroMarks[slot] = 1;
  table.dup(slot);
  table.uncache(slot, 5);
  expect(table.put(slot)).toBe(true);
  expect([table.zeroMarks[slot], table.shadowAt(slot)]).toEqual([0, Number.NaN]);
  expect(table.free).toBe(15);
});

test("swap is nearly full when more than half of it is in use (SWP-07)", () => {
  const table = new SwapTable(11);
  for (let i = 0; i < 5; i++) table.alloc(0, i, MEMCG);
  expect(table.isNearlyFull).toBe(false);
  table.alloc(0, 5, MEMCG);
  expect(table.isNearlyFull).toBe(true);
});
