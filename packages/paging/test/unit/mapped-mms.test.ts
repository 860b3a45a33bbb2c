import { FolioTable } from "@lrugen/mm-core";
import { beforeEach, expect, test } from "vitest";
import { MappedMms } from "../../src/mapping/mapped-mms.ts";

let folios: FolioTable;
let mms: MappedMms;

/** Changes the map count of folio 0 and tells the slots, as rmap does. */
function map(mm: number, count: number): void {
  folios.mapping[1]! += count;
  mms.add(0, mm, count);
}

function unmap(mm: number, count: number): void {
  folios.mapping[1]! -= count;
  mms.remove(0, mm, count);
}

beforeEach(() => {
  folios = new FolioTable(1024, 1);
  folios.prepare(0, 2, 0);
  mms = new MappedMms(folios);
  folios.mapping[1] = 4;
  mms.set(0, 7, 4);
});

test("a folio of one address space is not shared, however its mappings come and go", () => {
  unmap(7, 3);
  map(7, 2);
  expect(mms.maybeShared(0)).toBe(false);
});

test("a second address space shares it, until one of them is gone, whichever", () => {
  map(8, 4);
  expect(mms.maybeShared(0)).toBe(true);
  unmap(8, 4);
  expect(mms.maybeShared(0)).toBe(false);
  map(8, 2);
  unmap(7, 3);
  expect(mms.maybeShared(0)).toBe(true);
  unmap(7, 1);
  expect(mms.maybeShared(0)).toBe(false);
});

test("a third one that stays alone is not known, so the folio still counts as shared", () => {
  map(8, 4);
  map(9, 4);
  unmap(7, 4);
  unmap(8, 4);
  expect(mms.maybeShared(0)).toBe(true);
  unmap(9, 4);
  expect(mms.maybeShared(0)).toBe(false);
});

test("mappings made before an address space had a slot may be unmapped from it: the slot ends empty", () => {
  map(8, 4);
  map(9, 4);
  unmap(7, 4);
  map(9, 1);
  unmap(9, 3);
  expect(mms.maybeShared(0)).toBe(true);
  unmap(8, 4);
  unmap(9, 2);
  expect(mms.maybeShared(0)).toBe(false);
});
