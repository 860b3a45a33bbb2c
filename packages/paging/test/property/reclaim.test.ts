import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { ReclaimHistory, type ReclaimStep, SPACE } from "./reclaim-history.ts";

const process = fc.nat({ max: 2 });
const first = fc.oneof(fc.nat({ max: SPACE - 1 }), fc.constantFrom(0, 4, 16, 512));
const count = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(4, 16, 512, SPACE));
const range = { process, first, count };

const step: fc.Arbitrary<ReclaimStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom("write" as const, "write" as const, "read" as const),
      ...range,
      stride: fc.constantFrom(1, 1, 3, 64),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("shrink" as const),
      count: fc.integer({ min: 1, max: 80 }),
      ignore: fc.boolean(),
      verdict: fc.constantFrom("keep" as const, "activate" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom(
        "cold" as const,
        "pageout" as const,
        "free" as const,
        "dontneed" as const,
        "mlock" as const,
        "munlock" as const,
      ),
      ...range,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constantFrom("fork" as const, "exit" as const), process }),
  },
  { weight: 1, arbitrary: fc.constant({ op: "split deferred" } as const) },
);

test("reclaim loses nothing, and INV-09, INV-33, INV-34, through any history", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(null, 2, 4, 9),
      fc.constantFrom(0, 65, 1_024, 4_096),
      fc.array(step, { minLength: 1, maxLength: 30, size: "max" }),
      (order, swapPages, history) => {
        const machine = new ReclaimHistory(order, swapPages);
        for (const next of history) {
          machine.take(next);
          expect(machine.violations).toEqual([]);
        }
        machine.finish();
        expect(machine.violations).toEqual([]);
      },
    ),
    { numRuns: inject("soak") ? 2_000 : 40 },
  );
});
