import { describe, expect, test } from "vitest";
import { ALL_CASES } from "../../src/cases/all-cases.ts";
import { arrayBytes } from "../../src/cases/memory.ts";
import { fakeWatch, LAP_NS } from "../benches.ts";

const PAGES = 2048;
/** Folios of 2 MiB in as many pages. */
const HUGE_FOLIOS = PAGES / 512;

/** How many elements a lap of a case is about; with one figure a metric. */
const ELEMENTS: Readonly<Record<string, readonly number[]>> = {
  "aging/steady/stock": [PAGES],
  "aging/steady/series": [PAGES],
  "aging/growth/stock": [PAGES, PAGES],
  "aging/growth/series": [PAGES, PAGES],
  "incMinSeq/stock": [PAGES],
  "incMinSeq/series": [PAGES],
  "walk/young": [PAGES],
  "walk/old": [PAGES],
  "fault/anon": [PAGES],
  "access/hit": [PAGES],
  "fault/thp": [HUGE_FOLIOS],
  fork: [PAGES],
  zap: [PAGES],
  drain: [PAGES],
};

/** Cases with a time and an amount of heap each. */
const FILE_NAMES = ["file/read-hit", "file/readahead", "file/fault-around"];
/** Cases with a time at two sizes and an amount of heap each. */
const EVICTION_NAMES = ["evict/file", "evict/anon"];

test("the names are stable", () => {
  expect(ALL_CASES.map(({ name }) => name)).toEqual([
    ...Object.keys(ELEMENTS),
    ...FILE_NAMES,
    ...EVICTION_NAMES,
    "memory/16GiB",
  ]);
});

describe("a small instance of", () => {
  const timed = ALL_CASES.filter(({ name }) => name in ELEMENTS);

  test.each(timed)("$name times exactly its elements, again and again", (one) => {
    const repetition = one.boot(PAGES, fakeWatch());
    const expected = (ELEMENTS[one.name] ?? []).map((elements) => LAP_NS / elements);
    for (let i = 0; i < 3; i++) expect(repetition()).toEqual(expected);
  });

  test.each(FILE_NAMES)("%s gives a time and bytes of heap", (wanted) => {
    const one = ALL_CASES.find(({ name }) => name === wanted);
    const figures = one!.boot(PAGES, fakeWatch())();
    expect(figures).toHaveLength(2);
    expect(figures[0]).toBeGreaterThan(0);
    expect(figures[1]).toBeGreaterThanOrEqual(0);
  });

  test.each(EVICTION_NAMES)("%s gives a time for each size and bytes of heap", (wanted) => {
    const one = ALL_CASES.find(({ name }) => name === wanted);
    const figures = one!.boot(PAGES, fakeWatch())();
    expect(figures).toHaveLength(3);
    expect(figures[0]).toBeGreaterThan(0);
    expect(figures[1]).toBeGreaterThan(0);
    expect(figures[2]).toBeGreaterThanOrEqual(0);
  });

  test("memory/16GiB gives the process's memory and the bytes of the arrays", () => {
    const memory = ALL_CASES.find(({ name }) => name === "memory/16GiB");
    const figures = memory!.boot(PAGES, fakeWatch())();
    expect(figures).toHaveLength(memory!.metrics.length);
    const [resident, folio, pte] = figures;
    expect(resident).toBeGreaterThan(1);
    // 40 bytes and 4 bytes, and what there is in table numbers.
    expect(folio).toBe(40);
    expect(pte).toBeCloseTo(4 + 4 / 512);
  });
});

test("arrayBytes counts typed arrays only", () => {
  const state = { flags: new Int32Array(3), order: new Uint8Array(5), pages: 7, list: [1, 2] };
  expect(arrayBytes(state)).toBe(17);
});
