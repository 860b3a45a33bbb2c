import { describe, expect, test } from "vitest";
import {
  CACHE_LINE_BYTES,
  fieldOf,
  lineOf,
  structLayout,
  type StructLayout,
} from "../../src/index.ts";
import { lruGenFolio, lruGenFolioOwnLines, lruvec, memCgroupPerNode } from "./lru-gen-structs.ts";

const offsets = (layout: StructLayout): Record<string, number> =>
  Object.fromEntries(layout.fields.map(({ name, offset }) => [name, offset]));

/** One row of the tables of LAY and S3C-02: fields in memory order with their offsets, then the size. */
type Row = readonly (readonly [field: string, offset: number])[];

const HEAD: Row = [
  ["max_seq", 0],
  ["min_seq", 8],
  ["timestamps", 24],
];
const row = (names: string, at: readonly number[]): Row =>
  names.split(" ").map((name, index) => [name, at[index]!]);

const BEFORE =
  "folios nr_pages avg_refaulted avg_total protected evicted refaulted enabled gen seg list";
const AFTER =
  "enabled gen seg list folios nr_pages avg_refaulted avg_total protected evicted refaulted";

describe("lru_gen_folio has the kernel's offsets (LAY table)", () => {
  test.each([
    {
      zones: 4,
      hist: 1,
      size: 1168,
      at: [56, 568, 824, 888, 952, 1016, 1080, 1144, 1145, 1146, 1152],
    },
    {
      zones: 5,
      hist: 1,
      size: 1360,
      at: [56, 696, 1016, 1080, 1144, 1208, 1272, 1336, 1337, 1338, 1344],
    },
    {
      zones: 4,
      hist: 4,
      size: 1744,
      at: [56, 568, 824, 888, 952, 1208, 1464, 1720, 1721, 1722, 1728],
    },
    {
      zones: 5,
      hist: 4,
      size: 1936,
      at: [56, 696, 1016, 1080, 1144, 1400, 1656, 1912, 1913, 1914, 1920],
    },
  ])("with $zones zones and $hist histories", ({ zones, hist, size, at }) => {
    const layout = lruGenFolio(zones, hist);
    expect(layout.fields.map(({ name, offset }) => [name, offset])).toEqual([
      ...HEAD,
      ...row(BEFORE, at),
    ]);
    expect([layout.size, layout.align]).toEqual([size, 8]);
  });
});

describe("lruvec has the kernel's offsets (LAY-01, LAY-03)", () => {
  test.each([
    { zones: 4, hist: 1, mmState: 1344, size: 1432 },
    { zones: 5, hist: 1, mmState: 1536, size: 1624 },
    { zones: 4, hist: 4, mmState: 1920, size: 2104 },
    { zones: 5, hist: 4, mmState: 2112, size: 2296 },
  ])("with $zones zones and $hist histories", ({ zones, hist, mmState, size }) => {
    const layout = lruvec(lruGenFolio(zones, hist), hist);
    expect(offsets(layout)).toMatchObject({
      lru_lock: 80,
      cost: 88,
      cost_lock: 136,
      nonresident_age: 144,
      refaults: 152,
      flags: 168,
      lrugen: 176,
      mm_state: mmState,
      "mm_state.stats": mmState + 40,
    });
    expect(layout.size).toBe(size);
  });
});

describe("counters on their own lines give the patched offsets (S3C-02)", () => {
  test.each([
    {
      zones: 5,
      at: [56, 57, 58, 64, 80, 720, 1040, 1104, 1168, 1280, 1344],
      sizes: [1408, 1728, 2048],
    },
    {
      zones: 4,
      at: [56, 57, 58, 64, 80, 592, 848, 912, 976, 1088, 1152],
      sizes: [1216, 1536, 1856],
    },
  ])("with $zones zones", ({ zones, at, sizes }) => {
    const folio = lruGenFolioOwnLines(zones, 1);
    const vec = lruvec(folio, 1);
    const perNode = memCgroupPerNode(vec, zones);
    expect(folio.fields.map(({ name, offset }) => [name, offset])).toEqual([
      ...HEAD,
      ...row(AFTER, at),
    ]);
    expect(fieldOf(vec, "lrugen").offset).toBe(192);
    expect([folio.size, vec.size, perNode.size]).toEqual(sizes);
  });

  test.each([
    { zones: 5, size: 1984, evicted: 1472, refaulted: 1728 },
    { zones: 4, size: 1792, evicted: 1280, refaulted: 1536 },
  ])("with $zones zones and 4 histories", ({ zones, size, evicted, refaulted }) => {
    const layout = lruGenFolioOwnLines(zones, 4);
    expect(layout.size).toBe(size);
    expect(offsets(layout)).toMatchObject({ evicted, refaulted });
  });
});

const lruGenLines = (perNode: StructLayout, fields: readonly string[]): number[] =>
  fields.map((field) => lineOf(perNode, `lruvec.lrugen.${field}`));

describe("lineOf numbers lines within the outermost struct", () => {
  test("before S3: refault counters share a line with what every LRU add reads (LAY-02)", () => {
    const perNode = memCgroupPerNode(lruvec(lruGenFolio(5, 1), 1), 5);
    expect(perNode.size).toBe(1984);
    expect(offsets(perNode)).toMatchObject({
      lruvec: 64,
      "lruvec.lrugen": 240,
      lru_zone_size: 1728,
    });
    expect(lruGenLines(perNode, ["max_seq", "min_seq"])).toEqual([3, 3]);
    expect(lruGenLines(perNode, ["enabled", "gen", "seg", "list"])).toEqual([24, 24, 24, 24]);
    const refaultedFile = fieldOf(perNode, "lruvec.lrugen.refaulted").offset + 32;
    expect([refaultedFile, Math.floor(refaultedFile / CACHE_LINE_BYTES)]).toEqual([1544, 24]);
  });

  test("after S3: header in line 4, list in 5, evicted in 24, refaulted in 25 (S3C-03)", () => {
    const perNode = memCgroupPerNode(lruvec(lruGenFolioOwnLines(5, 1), 1), 5);
    expect(offsets(perNode)).toMatchObject({ "lruvec.lrugen": 256 });
    expect(lruGenLines(perNode, ["max_seq", "seg", "list", "evicted", "refaulted"])).toEqual([
      4, 4, 5, 24, 25,
    ]);
  });
});

describe("structLayout refuses what C could not mean", () => {
  test.each([
    [
      () => structLayout("s", 1, [["a", 1.5]]),
      "struct s: field a has size 1.5, expected an integer >= 0",
    ],
    [
      () => structLayout("s", 1, [["a", -8]]),
      "struct s: field a has size -8, expected an integer >= 0",
    ],
    [
      () => structLayout("s", 3, []),
      "struct s: the struct has alignment 3, expected a power of two from 1 to 4096",
    ],
    [
      () => structLayout("s", 1, [["a", 8, 0]]),
      "struct s: field a has alignment 0, expected a power of two from 1 to 4096",
    ],
    [
      () =>
        structLayout("s", 1, [
          ["a", 8],
          ["a", 4],
        ]),
      'struct s: field name "a" is empty or used twice',
    ],
  ])("%#", (make, message) => {
    expect(make).toThrow(message);
  });

  test("an unknown field is refused with the list of fields", () => {
    const layout = structLayout("lru_gen_mm_list", 1, [
      ["fifo", 16],
      ["lock", 4],
    ]);
    expect(layout.size).toBe(24);
    expect(() => lineOf(layout, "lck")).toThrow(
      "struct lru_gen_mm_list has no field lck, expected one of: fifo, lock",
    );
  });
});
