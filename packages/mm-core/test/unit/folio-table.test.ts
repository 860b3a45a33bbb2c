import { describe, expect, test } from "vitest";
import {
  FolioTable,
  NIL,
  PG_ANON_EXCLUSIVE,
  PG_DIRTY,
  PG_HEAD,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_TAIL,
} from "../../src/index.ts";

/** Bytes of all the arrays of a table. */
function bytesOf(folios: FolioTable): number {
  const arrays = Object.values(folios).filter((field) => ArrayBuffer.isView(field));
  return arrays.reduce((sum, array) => sum + array.byteLength, 0);
}

function mappedAnon(order: number, mappings: number): FolioTable {
  const folios = new FolioTable(16, 0);
  folios.prepare(4, order, 0);
  if (order === 0) folios.mapcount[4] = mappings;
  else folios.mapping[5] = mappings;
  folios.mapping[4] = 2 * 3 + 1;
  return folios;
}

describe("memory budget", () => {
  test("a page frame takes the 40 bytes that are allowed", () => {
    expect(bytesOf(new FolioTable(4096, 0)) / 4096).toBe(40);
  });

  test("a list head takes its two links and nothing else", () => {
    expect(bytesOf(new FolioTable(16, 100)) - bytesOf(new FolioTable(16, 0))).toBe(100 * 8);
  });
});

describe("a fresh table", () => {
  test("has frames without flags or references, on no list", () => {
    const folios = new FolioTable(8, 3);
    expect([...folios.flags, ...folios.refcount]).toEqual(Array.from({ length: 16 }, () => 0));
    expect([...folios.next, ...folios.prev]).toEqual(Array.from({ length: 22 }, () => NIL));
  });
});

describe("prepare", () => {
  test("makes a folio of one page: one reference, no flags, no mapping", () => {
    const folios = new FolioTable(16, 0);
    folios.flags.fill(PG_DIRTY);
    folios.mapcount.fill(3);
    folios.mapping.fill(9);
    folios.prepare(5, 0, 2);
    expect([folios.flags[5], folios.refcount[5], folios.memcg[5], folios.order[5]]).toEqual([
      0, 1, 2, 0,
    ]);
    expect([folios.mapcountOf(5), folios.mapping[5]]).toEqual([0, 0]);
    expect([folios.isLarge(5), folios.nrPagesOf(5), folios.folioOf(5)]).toEqual([false, 1, 5]);
    expect(folios.flags[6]).toBe(PG_DIRTY);
  });

  test.each([1, 2, 4, 9])("makes a large folio of order %i with tail pages behind it", (order) => {
    const pages = 1 << order;
    const folios = new FolioTable(4 * pages, 0);
    folios.flags.fill(PG_DIRTY);
    folios.prepare(2 * pages, order, 1);
    const head = 2 * pages;
    expect(folios.flags[head]).toBe(PG_HEAD);
    expect([folios.isLarge(head), folios.nrPagesOf(head), folios.refcount[head]]).toEqual([
      true,
      pages,
      1,
    ]);
    for (let pfn = head + 1; pfn < head + pages; pfn++) {
      expect([folios.flags[pfn], folios.folioOf(pfn)]).toEqual([PG_TAIL, head]);
    }
    expect([folios.flags[head - 1], folios.flags[head + pages]]).toEqual([PG_DIRTY, PG_DIRTY]);
  });

  test("clears the counters a large folio keeps in its second page (FOL-12)", () => {
    const folios = new FolioTable(16, 0);
    folios.mapping.fill(7);
    folios.refcount.fill(7);
    folios.prev.fill(7);
    folios.mapcount.fill(7);
    folios.prepare(4, 2, 0);
    expect([
      folios.mapcountOf(4),
      folios.entireMapcountOf(4),
      folios.nrPagesMappedOf(4),
      ...folios.mapcount.subarray(4, 8),
    ]).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
});

describe("counters of a large folio (FOL-12)", () => {
  test("live in its second page, apart from the first page's own", () => {
    const folios = new FolioTable(16, 0);
    folios.prepare(8, 3, 0);
    folios.refcount[8] = 11;
    folios.mapping[8] = 21;
    folios.mapcount[8] = 31;
    folios.mapping[9] = 5;
    folios.refcount[9] = 2;
    folios.prev[9] = 3;
    expect([folios.mapcountOf(8), folios.entireMapcountOf(8), folios.nrPagesMappedOf(8)]).toEqual([
      5, 2, 3,
    ]);
    expect([folios.refcount[8], folios.mapping[8], folios.mapcount[8]]).toEqual([11, 21, 31]);
  });

  test("hold counts beyond 16 bits", () => {
    const folios = new FolioTable(4, 0);
    folios.prepare(0, 1, 0);
    folios.mapping[1] = 2_000_000;
    expect(folios.mapcountOf(0)).toBe(2_000_000);
  });
});

describe("folioOf", () => {
  test("finds the head from a tail page whatever else the tail is flagged with", () => {
    const folios = new FolioTable(16, 0);
    folios.prepare(8, 2, 0);
    folios.flags[10]! |= PG_ANON_EXCLUSIVE;
    expect(folios.folioOf(10)).toBe(8);
    expect(folios.folioOf(8)).toBe(8);
    expect(folios.folioOf(7)).toBe(7);
  });
});

describe("expected references (FOL-20)", () => {
  test("are one for each mapping of an anon folio", () => {
    expect(mappedAnon(0, 2).expectedRefCountOf(4)).toBe(2);
    expect(mappedAnon(2, 4).expectedRefCountOf(4)).toBe(4);
  });

  test("are one more for each page in the swap cache", () => {
    const folios = mappedAnon(2, 4);
    folios.flags[4]! |= PG_SWAPBACKED | PG_SWAPCACHE;
    expect(folios.expectedRefCountOf(4)).toBe(8);
  });

  test("do not mistake the swap-cache bit of a file folio, which means something else there", () => {
    const folios = mappedAnon(0, 1);
    folios.flags[4]! |= PG_SWAPCACHE;
    expect(folios.expectedRefCountOf(4)).toBe(1);
  });

  test("are one more for each page in the page cache", () => {
    const folios = mappedAnon(2, 1);
    folios.mapping[4] = 2 * 3;
    expect(folios.expectedRefCountOf(4)).toBe(5);
  });
});
