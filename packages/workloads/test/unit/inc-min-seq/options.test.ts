import { systemFeatures } from "@lrugen/sim";
import { expect, it } from "vitest";
import { runIncMinSeq } from "../../../src/index.ts";

const features = systemFeatures();

it.each([
  [{ pages: 0 }, "pages: 0 found, expected 1 to 4194304"],
  [{ pages: 4_194_305 }, "pages: 4194305 found, expected 1 to 4194304"],
  [{ pages: 1.5 }, "pages: 1.5 found, expected 1 to 4194304"],
  [{ agings: 0 }, "agings: 0 found, expected 1 to 10000"],
  [{ agings: 10_001 }, "agings: 10001 found, expected 1 to 10000"],
])("%j is refused by name", (options, message) => {
  expect(() => runIncMinSeq({ features, ...options })).toThrow(new RangeError(message));
});

it("fills in the benchmark of the letter", () => {
  const { options } = runIncMinSeq({ features, agings: 1 });
  expect(options).toEqual({ features, pages: 131_072, thp: "never", agings: 1, drain: true });
});

it("runs with a single page", () => {
  const { agings } = runIncMinSeq({ features, pages: 1, agings: 4 });
  expect(agings.map(({ walked, moved, order }) => [walked, moved, order])).toEqual([
    [1, 0, null],
    [1, 0, null],
    [1, 1, null],
    [1, 1, null],
  ]);
});
