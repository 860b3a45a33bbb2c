import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IncMinSeqFeatures } from "../../src/index.ts";
import { CheckedWorld } from "./checked-world.ts";
import { machineSpecs, steps } from "./random-machine.ts";
import { RUNS } from "./runs.ts";

const SETS: readonly (readonly [string, readonly (keyof IncMinSeqFeatures)[]])[] = [
  ["stock", []],
  [
    "with the whole series",
    [
      "splitAccounting",
      "batchSizes",
      "promotedAhead",
      "promotedNotProtected",
      "prefetchInline",
      "headToTail",
      "spliceRuns",
    ],
  ],
  ["with patches 2 and 6 (S1-10)", ["batchSizes", "headToTail"]],
  ["with patches 3 and 4 (S1-10)", ["promotedAhead", "promotedNotProtected", "batchProtected"]],
];

describe("random machines age folio by folio as the rules say (MINV-01..10, MINV-12..21, MINV-29..33, MINV-36, MINV-38)", () => {
  test.each(SETS)("%s", (_name, features) => {
    fc.assert(
      fc.property(machineSpecs, steps, (spec, history) => {
        const checked = new CheckedWorld(spec, features);
        expect(checked.violations()).toEqual([]);
        for (const step of history) {
          expect(checked.take(step), `after ${JSON.stringify(step)}`).toEqual([]);
        }
      }),
      RUNS,
    );
  });
});
