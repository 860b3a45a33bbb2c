import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { MappingHistory } from "./mapping-history.ts";
import { mappingSteps } from "./mapping-steps.ts";

test("mappings show files, and copies of their own, through any history (FLT-23, INV-09, PGC-01, RMAP-01)", () => {
  fc.assert(
    fc.property(mappingSteps, (history) => {
      const machine = new MappingHistory();
      for (const step of history) {
        machine.take(step);
        expect(machine.violations).toEqual([]);
      }
      machine.finish();
      expect(machine.violations).toEqual([]);
      expect(machine.charged).toBe(0);
    }),
    { numRuns: inject("soak") ? 2_000 : 40 },
  );
});
