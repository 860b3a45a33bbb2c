import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { RandomHistory } from "./random-history.ts";
import { largeOrder, steps } from "./steps.ts";

test("programs keep what they wrote, and INV-09, INV-10, INV-20, INV-22, through any history", () => {
  fc.assert(
    fc.property(largeOrder, steps, (order, history) => {
      const machine = new RandomHistory(order);
      for (const step of history) {
        machine.take(step);
        expect(machine.violations).toEqual([]);
      }
      machine.finish();
      expect(machine.violations).toEqual([]);
      expect(machine.charged).toBe(0);
    }),
    { numRuns: inject("soak") ? 3_000 : 60 },
  );
});
