import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_SLOT, SwapTable } from "../../src/index.ts";
import { RUNS } from "./runs.ts";

const SLOTS = 1300;

interface Run {
  readonly first: number;
  readonly order: number;
}

test("runs are aligned and never overlap, and none is refused while an own or free cluster has room (SWP-03)", () => {
  const step = fc.record({
    alloc: fc.boolean(),
    order: fc.constantFrom(0, 0, 2, 4, 9),
    at: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: "max" }), (steps) => {
      const table = new SwapTable(SLOTS);
      const runs: Run[] = [];
      const used = new Set<number>([0]);
      for (const { alloc, order, at } of steps) {
        if (alloc) {
          const first = table.alloc(order, at, 1);
          if (first === NO_SLOT) {
            const isFree = (slot: number): boolean => slot < SLOTS && !used.has(slot);
            for (let cluster = 0; cluster < 3; cluster++) {
              const slots = Array.from({ length: 512 }, (_, i) => cluster * 512 + i);
              const empty = slots.every((slot) => isFree(slot));
              expect(order > 0 ? empty : slots.some((slot) => isFree(slot))).toBe(false);
            }
            continue;
          }
          expect(first % (1 << order)).toBe(0);
          expect(first >> 9).toBe((first + (1 << order) - 1) >> 9);
          for (let slot = first; slot < first + (1 << order); slot++) {
            expect(used.has(slot)).toBe(false);
            used.add(slot);
          }
          runs.push({ first, order });
        } else if (runs.length > 0) {
          const [run] = runs.splice(at % runs.length, 1);
          for (let slot = run!.first; slot < run!.first + (1 << run!.order); slot++) {
            expect(table.uncache(slot, undefined)).toBe(true);
            used.delete(slot);
          }
        }
        expect(table.free).toBe(SLOTS - used.size);
      }
    }),
    RUNS,
  );
});
