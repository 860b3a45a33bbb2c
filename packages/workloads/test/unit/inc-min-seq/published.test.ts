import { expect, it } from "vitest";
import { PUBLISHED_INC_MIN_SEQ } from "../../../src/index.ts";

const { x86, arm64 } = PUBLISHED_INC_MIN_SEQ;

it("the averages are the totals over 101 agings", () => {
  expect(x86.total.beforeMs / 101).toBeCloseTo(x86.average.beforeMs, 3);
  expect(x86.total.afterMs! / 101).toBeCloseTo(x86.average.afterMs!, 3);
});

it("arm64 gains what the letter says: 61.2 % and 21.8 %", () => {
  const gains = arm64.averages.map(({ beforeMs, afterMs }) => 100 * (1 - afterMs! / beforeMs));
  expect(gains[0]).toBeCloseTo(61.2, 1);
  // Of the figures before they were rounded.
  expect(Math.abs(gains[1]! - 21.8)).toBeLessThan(0.1);
});

it("the printed generations are those of the letter, the left-out lines without a time", () => {
  expect(x86.agings.map(({ gen }) => gen)).toEqual([3, 4, 5, 6, 7, 8, 100, 101, 102, 103]);
  expect(x86.agings.filter(({ afterMs }) => afterMs === null).map(({ gen }) => gen)).toEqual([
    7, 8,
  ]);
});
