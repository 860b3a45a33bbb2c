import { describe, expect, test } from "vitest";
import { incMinSeqFeatures, MGLRU_FEATURES, STOCK_FEATURES } from "../../src/index.ts";

const SWITCHES = [
  "splitAccounting",
  "batchSizes",
  "promotedAhead",
  "promotedNotProtected",
  "prefetchInline",
  "headToTail",
  "spliceRuns",
] as const;

describe("the switches of series inc-min-seq", () => {
  test("are its seven patches in order, off by default (S1-01..S1-07)", () => {
    const series = MGLRU_FEATURES.filter((feature) => feature.series === "inc-min-seq");
    expect(series.map((feature) => feature.name)).toEqual(
      SWITCHES.map((name) => `mglru.incMinSeq.${name}`),
    );
    expect(series.map((feature) => feature.patch)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(MGLRU_FEATURES.every((feature) => feature.default === false)).toBe(true);
  });

  test("batching protected belongs to no version of the series (S1-09)", () => {
    const outside = MGLRU_FEATURES.filter((feature) => feature.series === null);
    expect(outside).toMatchObject([
      { name: "mglru.incMinSeq.batchProtected", patch: null, outsideSeries: true },
    ]);
  });

  test("spliceRuns alone requires another one (S1-10)", () => {
    const requiring = MGLRU_FEATURES.filter((feature) => feature.requires.length > 0);
    expect(requiring.map(({ name, requires }) => [name, requires])).toEqual([
      ["mglru.incMinSeq.spliceRuns", ["mglru.incMinSeq.headToTail"]],
    ]);
  });
});

describe("incMinSeqFeatures", () => {
  test("nothing on is Linux 7.3", () => {
    expect(incMinSeqFeatures(() => false)).toEqual(STOCK_FEATURES);
    expect(Object.values(STOCK_FEATURES).some(Boolean)).toBe(false);
  });

  test.each([...SWITCHES, "batchProtected"])("%s sets itself and nothing else", (name) => {
    const needs = name === "spliceRuns" ? ["headToTail"] : [];
    const on = incMinSeqFeatures((feature) =>
      [name, ...needs].some((each) => feature === `mglru.incMinSeq.${each}`),
    );
    const found = Object.entries(on).filter(([, value]) => value);
    expect(new Set(found.map(([key]) => key))).toEqual(new Set([name, ...needs]));
  });

  test("refuses spliceRuns without headToTail, naming both (S1-10)", () => {
    expect(() => incMinSeqFeatures((name) => !name.endsWith("headToTail"))).toThrow(
      new RangeError("mglru.incMinSeq.spliceRuns requires mglru.incMinSeq.headToTail"),
    );
  });
});
