import { expect, test } from "vitest";
import { LruGenFolio, LruGenMmState, NR_BLOOM_FILTERS, NR_MM_STATS } from "../../src/index.ts";

test("a new walk state has finished the generation before the youngest (INIT-01, MINV-10)", () => {
  expect(new LruGenMmState().seq).toBe(new LruGenFolio(0, true, 0).maxSeq - 1);
});

test("a new walk state has no position, no filter and no statistics (INIT-01)", () => {
  const { head, tail, filters, stats } = new LruGenMmState();
  expect([head, tail]).toEqual([null, null]);
  expect(filters).toEqual(Array.from({ length: NR_BLOOM_FILTERS }, () => null));
  expect([...stats]).toEqual(Array.from({ length: NR_MM_STATS }, () => 0));
});
