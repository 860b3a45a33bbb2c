import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { RandomWalk, steps } from "./random-walk.ts";

const numRuns = inject("soak") ? 3_000 : 120;

test.each([
  ["MGLRU", false],
  ["classic", true],
] as const)(
  "under %s, batches keep INV-01..04, INV-09..16, INV-18..20 through any history",
  (_name, classic) => {
    const machine = fc.record({
      cpus: fc.integer({ min: 1, max: 3 }),
      memcgs: fc.integer({ min: 0, max: 2 }),
      classic: fc.constant(classic),
    });
    fc.assert(
      fc.property(machine, steps, (options, history) => {
        const walk = new RandomWalk(options);
        for (const step of history) {
          walk.take(step);
          expect(walk.violations).toEqual([]);
        }
        walk.finish();
        expect(walk.violations).toEqual([]);
      }),
      { numRuns },
    );
  },
);
