import { FolioTable } from "@lrugen/mm-core";
import { beforeEach, expect, test } from "vitest";
import { MappedMms } from "../../src/mapping/mapped-mms.ts";

let folios: FolioTable;
let mms: MappedMms;

/** Changes the map count of folio 2, of two pages, and tells the slots, as rmap does. */
function map(mm: number, count: number): void {
  folios.mapping[3]! += count;
  mms.add(2, mm, count);
}

function unmap(mm: number, count: number): void {
  folios.mapping[3]! -= count;
  mms.remove(2, mm, count);
}

beforeEach(() => {
  folios = new FolioTable(1024, 1);
  folios.prepare(2, 1, 0);
  mms = new MappedMms(folios);
  // Whatever the frames held before.
  folios.index[3] = 9 * 2 ** 26 + 5;
  folios.memcg[3] = 0xffff;
  folios.order[3] = 1;
  folios.mapping[3] = 2;
  mms.set(2, 7, 2);
});

test("a folio of one address space is not shared, however its mappings come and go", () => {
  unmap(7, 1);
  map(7, 1);
  map(7, 200);
  expect(mms.maybeShared(2)).toBe(false);
});

test("it is shared while two address spaces map it, exactly", () => {
  map(8, 1);
  expect(mms.maybeShared(2)).toBe(true);
  unmap(7, 2);
  expect(mms.maybeShared(2)).toBe(false);
  map(9, 2);
  expect(mms.maybeShared(2)).toBe(true);
  unmap(8, 1);
  expect(mms.maybeShared(2)).toBe(false);
});

test("a third one is not tracked, so the last of three still counts as shared", () => {
  map(8, 1);
  map(9, 1);
  unmap(7, 2);
  unmap(8, 1);
  expect(mms.maybeShared(2)).toBe(true);
});

test("its neighbours in memory are left alone", () => {
  folios.prepare(4, 0, 3);
  map(8, 1);
  expect([folios.order[4], folios.memcg[4], folios.order[2], folios.memcg[2]]).toEqual([
    0, 3, 1, 0,
  ]);
});

test("what does not fit is refused: more than 255 mappings, or an id beyond 2^26", () => {
  expect(() => map(7, 254)).toThrow(/maps a folio of two pages 256 times/);
  expect(() => map(2 ** 26, 1)).toThrow(/expected an id below 67108864/);
});
