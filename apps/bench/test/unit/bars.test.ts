import { describe, expect, test } from "vitest";
import { type Bar, BARS, judgeBars } from "../../src/bars.ts";
import type { Metric } from "../../src/bench-case.ts";
import { ALL_CASES } from "../../src/cases/all-cases.ts";
import { resultOf } from "../benches.ts";

const LIMIT: Bar = { title: "limit", figure: { name: "a" }, relation: "at most", bound: 10 };
const RATIO: Bar = {
  title: "ratio",
  figure: { name: "a" },
  relativeTo: { name: "b" },
  relation: "at least",
  bound: 2,
};

/** What a case of this program says about a figure. */
function metricOf({ name, metric = 0 }: Bar["figure"]): Metric | undefined {
  return ALL_CASES.find((one) => one.name === name)?.metrics[metric];
}

describe("judgeBars", () => {
  test.each([
    ["at most", 10, true],
    ["at most", 10.1, false],
    ["below", 9.9, true],
    ["below", 10, false],
    ["at least", 10, true],
    ["at least", 9.9, false],
  ] as const)("%s 10, measured %d: %s", (relation, figure, met) => {
    const judged = judgeBars([resultOf("a", [[figure]])], [{ ...LIMIT, relation }]);
    const unit = "ns/folio";
    expect(judged).toEqual([{ title: "limit", measured: figure, relation, bound: 10, unit, met }]);
  });

  test("a limit is about the median of all rounds, not the best", () => {
    const judged = judgeBars([resultOf("a", [[1], [11], [12]])], [LIMIT]);
    expect(judged).toMatchObject([{ measured: 11, met: false }]);
  });

  test("a ratio is taken within each round, then the median of the rounds", () => {
    // Each round is as slow for both; medians over all rounds would say 8 : 6.
    const results = [
      resultOf("a", [
        [8, 8, 9],
        [80, 80, 80],
        [4, 4, 4],
      ]),
      resultOf("b", [
        [4, 4, 4],
        [40, 20, 40],
        [8, 1, 1],
      ]),
    ];
    expect(judgeBars(results, [RATIO])).toMatchObject([{ measured: 2, unit: "x", met: true }]);
  });

  test("figures of one case may be compared", () => {
    const [first] = resultOf("a", [[30]]).metrics;
    const [second] = resultOf("a", [[20]]).metrics;
    const results = [{ name: "a", what: "", metrics: [first!, second!] }];
    const bar: Bar = { ...RATIO, relativeTo: { name: "a", metric: 1 } };
    expect(judgeBars(results, [bar])).toMatchObject([{ measured: 1.5, met: false }]);
  });

  test("a bar that needs another is missed with it", () => {
    const bars = [LIMIT, { ...RATIO, needs: "limit" }];
    const slow = [resultOf("a", [[11]]), resultOf("b", [[1]])];
    expect(judgeBars(slow, bars).map(({ met }) => met)).toEqual([false, false]);
    const fast = [resultOf("a", [[9]]), resultOf("b", [[1]])];
    expect(judgeBars(fast, bars).map(({ met }) => met)).toEqual([true, true]);
  });

  test("bars whose cases were not all run are left out", () => {
    expect(judgeBars([resultOf("b", [[1]])], [LIMIT, RATIO])).toEqual([]);
    expect(judgeBars([resultOf("a", [[1]])], [LIMIT, RATIO])).toHaveLength(1);
  });
});

describe("the bars of this program", () => {
  test.each(BARS)("$title: is about figures that exist, in one unit", (bar) => {
    const metric = metricOf(bar.figure);
    expect(metric).toBeDefined();
    expect(metricOf(bar.relativeTo ?? bar.figure)?.unit).toBe(metric?.unit);
  });

  test("have titles of their own, and need only bars before them", () => {
    const titles = BARS.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    const later = BARS.filter(
      ({ needs }, index) => needs !== undefined && !titles.slice(0, index).includes(needs),
    );
    expect(later).toEqual([]);
  });
});
