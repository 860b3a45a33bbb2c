import { LruGenFolio } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { resetCtrlPos } from "../../src/index.ts";

/** Both types with the same history; tiers 0..3. */
function history(): LruGenFolio {
  const lrugen = new LruGenFolio(0, true, 0);
  lrugen.avgRefaulted.set([10, 0, 7, 1, 10, 0, 7, 1]);
  lrugen.refaulted.set([5, 3, 0, 0, 5, 3, 0, 0]);
  lrugen.avgTotal.set([100, 1, 0, 9, 100, 1, 0, 9]);
  lrugen.evicted.set([40, 0, 3, 0, 40, 0, 3, 0]);
  lrugen.protected.set([0, 2, 4, 0, 0, 2, 4, 0]);
  return lrugen;
}

test.each([
  [0, 0],
  [1, 4],
])(
  "type %i: history is averaged in, halves rounded down, tier by tier (CTRL-02, MINV-16)",
  (type, first) => {
    const lrugen = history();
    resetCtrlPos(lrugen, type);
    expect([...lrugen.avgRefaulted.subarray(first, first + 4)]).toEqual([7, 1, 3, 0]);
    expect([...lrugen.avgTotal.subarray(first, first + 4)]).toEqual([70, 1, 3, 4]);
  },
);

test("the history of that type starts over, the other type keeps everything (CTRL-02, MINV-15)", () => {
  const lrugen = history();
  resetCtrlPos(lrugen, 1);
  const untouched = history();
  for (const field of ["refaulted", "evicted", "protected"] as const) {
    expect([...lrugen[field].subarray(4)]).toEqual([0, 0, 0, 0]);
    expect(lrugen[field].subarray(0, 4)).toEqual(untouched[field].subarray(0, 4));
  }
  expect(lrugen.avgTotal.subarray(0, 4)).toEqual(untouched.avgTotal.subarray(0, 4));
  expect(lrugen.avgRefaulted.subarray(0, 4)).toEqual(untouched.avgRefaulted.subarray(0, 4));
});

test("without traffic the averages decay to 0 (MINV-16)", () => {
  const lrugen = history();
  const totals = Array.from({ length: 9 }, () => {
    resetCtrlPos(lrugen, 0);
    return lrugen.avgTotal[0]!;
  });
  expect(totals).toEqual([70, 35, 17, 8, 4, 2, 1, 0, 0]);
});
