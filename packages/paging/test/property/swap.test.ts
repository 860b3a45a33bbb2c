import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { SwapHistory, swapSteps } from "./swap-history.ts";

test("private and shared memory survive swapping, and INV-23, INV-24 hold, through any history (SWP-04, PGC-03)", () => {
  fc.assert(
    fc.property(swapSteps, (steps) => {
      const history = new SwapHistory();
      for (const step of steps) {
        history.take(step);
        expect(history.violations).toEqual([]);
      }
      const left = history.finish();
      expect(history.violations).toEqual([]);
      expect(left).toBe(0);
    }),
    { numRuns: inject("soak") ? 2_000 : 100 },
  );
});
