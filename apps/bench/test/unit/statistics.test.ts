import { describe, expect, test } from "vitest";
import { lowerQuartile, median } from "../../src/statistics.ts";

describe("median", () => {
  test("is the middle figure, in whatever order they come", () => {
    expect(median([7])).toBe(7);
    expect(median([30, 4, 100])).toBe(30);
  });

  test("is the mean of the two middle ones of an even number", () => {
    expect(median([10, 2, 4, 1])).toBe(3);
  });

  test("leaves the figures in their order", () => {
    const figures = [3, 1, 2];
    median(figures);
    expect(figures).toEqual([3, 1, 2]);
  });

  test("of nothing is an error", () => {
    expect(() => median([])).toThrow(new RangeError("found no figures, expected at least one"));
  });
});

describe("lowerQuartile", () => {
  test.each([
    [[5], 5],
    [[5, 3, 9], 3],
    [[8, 1, 6, 4], 4],
    [[80, 70, 60, 50, 40, 30, 20, 10], 30],
  ])("of %j is %d", (figures, expected) => {
    expect(lowerQuartile(figures)).toBe(expected);
  });

  test("does not see that most laps were disturbed", () => {
    expect(lowerQuartile([10, 10, 10, 90, 95, 99, 80, 85])).toBe(10);
  });

  test("of nothing is an error", () => {
    expect(() => lowerQuartile([])).toThrow(RangeError);
  });
});
