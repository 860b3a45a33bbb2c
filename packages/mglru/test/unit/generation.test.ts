import {
  LRU_GEN_PGOFF,
  LRU_REFS_PGOFF,
  LruGenFolio,
  PG_REFERENCED,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import {
  evictableMinSeq,
  folioLruGen,
  folioLruRefs,
  folioTier,
  genFromSeq,
  isActiveGen,
  isSaturated,
  maxType,
  MAX_SWAPPINESS,
  MIN_SWAPPINESS,
  minType,
  nrGens,
  SWAPPINESS_ANON_ONLY,
} from "../../src/index.ts";

const refs = (extra: number): number => PG_REFERENCED | (extra << LRU_REFS_PGOFF);

function window(maxSeq: number, minSeq: readonly [number, number]): LruGenFolio {
  const lrugen = new LruGenFolio(0, true, 0);
  lrugen.maxSeq = maxSeq;
  lrugen.minSeq.set(minSeq);
  return lrugen;
}

test("a generation lives in slot seq mod 4, also far beyond 32 bits (MAP-01)", () => {
  expect([0, 1, 2, 3, 4, 5, 7, 2 ** 32 + 2, 2 ** 52 + 3].map(genFromSeq)).toEqual([
    0, 1, 2, 3, 0, 1, 3, 2, 3,
  ]);
});

test("flags hold the slot plus one, 0 meaning no multi-gen list (CONV-03)", () => {
  const words = [0, 1, 2, 3, 4].map((field) => field << LRU_GEN_PGOFF);
  expect(words.map(folioLruGen)).toEqual([-1, 0, 1, 2, 3]);
});

test.each([
  [3, [false, false, true, true]],
  [4, [true, false, false, true]],
  [5, [true, true, false, false]],
  [2 ** 40 + 2, [false, true, true, false]],
] as const)("with max_seq %i the active slots are the two youngest (MAP-02)", (maxSeq, active) => {
  const lrugen = window(maxSeq, [maxSeq - 3, maxSeq - 3]);
  expect([0, 1, 2, 3].map((gen) => isActiveGen(lrugen, gen))).toEqual(active);
});

describe("accesses that the flags count (MAP-03, MAP-04, MAP-05)", () => {
  test.each([
    ["no access", 0, 0, 0],
    ["REFS left over without PG_referenced", 3 << LRU_REFS_PGOFF, 0, 0],
    ["one", refs(0), 1, 0],
    ["two", refs(1), 2, 1],
    ["three", refs(2), 3, 2],
    ["four", refs(3), 4, 2],
    ["workingset", PG_WORKINGSET, 0, 3],
    ["workingset and one access", PG_WORKINGSET | refs(0), 1, 3],
    ["workingset and four", PG_WORKINGSET | refs(3), 4, 3],
  ])("%s", (_name, word, count, tier) => {
    expect([folioLruRefs(word), folioTier(word)]).toEqual([count, tier]);
  });

  test("only four accesses and workingset saturate a folio", () => {
    const words = [0, 1, 2, 3].flatMap((extra) => [refs(extra), refs(extra) | PG_WORKINGSET]);
    words.push(0, PG_WORKINGSET, (3 << LRU_REFS_PGOFF) | PG_WORKINGSET);
    expect(words.filter(isSaturated)).toEqual([PG_WORKINGSET | refs(3)]);
  });

  test("tier 3 is workingset and nothing else (MINV-21)", () => {
    for (let field = 0; field < 4; field++) {
      for (const bits of [0, PG_REFERENCED]) {
        const word = (field << LRU_REFS_PGOFF) | bits;
        expect(folioTier(word)).toBeLessThan(3);
        expect(folioTier(word | PG_WORKINGSET)).toBe(3);
      }
    }
  });
});

test.each([
  [MIN_SWAPPINESS, [1]],
  [1, [0, 1]],
  [60, [0, 1]],
  [MAX_SWAPPINESS, [0, 1]],
  [SWAPPINESS_ANON_ONLY, [0]],
])("under swappiness %i the evictable types are %j (MAP-06)", (swappiness, types) => {
  const found = [0, 1].filter((type) => type >= minType(swappiness) && type <= maxType(swappiness));
  expect(found).toEqual(types);
});

test.each([
  [0, 7],
  [60, 5],
  [201, 5],
])("the oldest evictable generation under swappiness %i is %i (MAP-07)", (swappiness, seq) => {
  expect(evictableMinSeq(Float64Array.of(5, 7), swappiness)).toBe(seq);
});

test("the smaller min_seq counts, whichever type has it (MAP-07)", () => {
  expect(evictableMinSeq(Float64Array.of(7, 5), 60)).toBe(5);
  expect(evictableMinSeq(Float64Array.of(7, 5), 201)).toBe(7);
});

test("a type has max_seq - min_seq + 1 generations, each type its own (MAP-08)", () => {
  const lrugen = window(9, [6, 8]);
  expect([nrGens(lrugen, 0), nrGens(lrugen, 1)]).toEqual([4, 2]);
});
