import { systemFeatures } from "@lrugen/sim";
import { describe, expect, it } from "vitest";
import { agingSpans, type IncMinSeqAging, runIncMinSeq } from "../../../src/index.ts";

const { agings } = runIncMinSeq({ features: systemFeatures(), pages: 64, agings: 10 });
const counts = ["walked", "promoted", "moved"] as const;

describe("spans of equal agings", () => {
  it("begin after those that stay single", () => {
    expect(agingSpans([agings], 5, counts)).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => ({ first: i, last: i })),
      { first: 5, last: 9 },
    ]);
  });

  it("join from the start when none stays single", () => {
    expect(agingSpans([agings], 0, counts)).toEqual([
      { first: 0, last: 0 },
      { first: 1, last: 1 },
      { first: 2, last: 9 },
    ]);
  });

  it("are cut where any run differs", () => {
    const other = agings.with(7, { ...(agings[7] as IncMinSeqAging), moved: 1 });
    expect(agingSpans([agings, other], 5, counts)).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => ({ first: i, last: i })),
      { first: 5, last: 6 },
      { first: 7, last: 7 },
      { first: 8, last: 9 },
    ]);
  });

  it("look only at what is shown", () => {
    expect(agingSpans([agings], 5, ["seq"])).toHaveLength(10);
  });

  it("end with the shorter run", () => {
    expect(agingSpans([agings, agings.slice(0, 7)], 5, counts).at(-1)).toEqual({
      first: 5,
      last: 6,
    });
  });
});
