import { describe, expect, test } from "vitest";
import {
  ANON_AND_FILE,
  LruGenFolio,
  MAX_NR_GENS,
  MAX_NR_TIERS,
  MAX_NR_ZONES,
  MIN_NR_GENS,
} from "../../src/index.ts";

describe("the generations of a new lruvec (INIT-01)", () => {
  const lrugen = new LruGenFolio(100, true, 77);

  test("are four, numbered 0 to 3, all born now", () => {
    expect([lrugen.maxSeq, ...lrugen.minSeq]).toEqual([3, 0, 0]);
    expect([...lrugen.timestamps]).toEqual([77, 77, 77, 77]);
  });

  test("are empty and have no history", () => {
    const { nrPages, avgRefaulted, avgTotal, evicted, refaulted } = lrugen;
    const counts = [avgRefaulted, avgTotal, lrugen.protected, evicted, refaulted];
    expect(nrPages).toHaveLength(MAX_NR_GENS * ANON_AND_FILE * MAX_NR_ZONES);
    expect(Math.max(...nrPages, ...counts.flatMap((values) => [...values]))).toBe(0);
    expect(counts.map(({ length }) => length)).toEqual(
      counts.map(() => ANON_AND_FILE * MAX_NR_TIERS),
    );
  });

  test("have one list head for each generation, type and zone", () => {
    expect([lrugen.listHead, LruGenFolio.nrHeads]).toEqual([100, 40]);
  });

  test("take new folios if MGLRU is on", () => {
    expect([lrugen.enabled, new LruGenFolio(0, false, 0).enabled]).toEqual([true, false]);
  });
});

test("the constants are those of the kernel (CONST-01..CONST-03)", () => {
  expect([MIN_NR_GENS, MAX_NR_GENS, MAX_NR_TIERS]).toEqual([2, 4, 4]);
});
