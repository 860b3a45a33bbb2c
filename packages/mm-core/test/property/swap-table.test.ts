import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_SLOT, SwapTable } from "../../src/index.ts";
import { RUNS } from "./runs.ts";

const SLOTS = 1300;
const CLUSTER = 512;

interface Run {
  readonly first: number;
  readonly order: number;
}

interface Step {
  readonly alloc: boolean;
  readonly order: number;
  readonly at: number;
}

/** A swap table next to the set of slots in use. */
class Pair {
  readonly table: SwapTable = new SwapTable(SLOTS);
  readonly violations: string[] = [];
  private readonly runs: Run[] = [];
  private readonly used: Set<number> = new Set([0]);

  take({ alloc, order, at }: Step): void {
    if (alloc) this.alloc(order, at);
    else if (this.runs.length > 0) this.free(this.runs.splice(at % this.runs.length, 1)[0]!);
    this.require(this.table.free === SLOTS - this.used.size, `${this.table.free} slots are free`);
  }

  private alloc(order: number, pfn: number): void {
    const first = this.table.alloc(order, pfn, 1);
    if (first === NO_SLOT) {
      this.require(!this.hasRoom(order), `order ${order} was refused`);
      return;
    }
    const end = first + (1 << order);
    this.require(first % (1 << order) === 0, `slot ${first} is not aligned to order ${order}`);
    this.require(end <= SLOTS, `a run ends at ${end}`);
    for (let slot = first; slot < end; slot++) {
      this.require(!this.used.has(slot), `slot ${slot} was given out twice`);
      this.used.add(slot);
    }
    this.runs.push({ first, order });
  }

  private free({ first, order }: Run): void {
    for (let slot = first; slot < first + (1 << order); slot++) {
      this.require(this.table.uncache(slot, undefined), `slot ${slot} is not free`);
      this.used.delete(slot);
    }
  }

  /** A free slot does for order 0, larger orders need a free cluster at least. */
  private hasRoom(order: number): boolean {
    const isFree = (slot: number): boolean => slot < SLOTS && !this.used.has(slot);
    for (let first = 0; first < SLOTS; first += CLUSTER) {
      const slots = Array.from({ length: CLUSTER }, (_, i) => first + i);
      if (order === 0 ? slots.some((slot) => isFree(slot)) : slots.every((slot) => isFree(slot))) {
        return true;
      }
    }
    return false;
  }

  private require(holds: boolean, what: string): void {
    if (!holds) this.violations.push(what);
  }
}

test("runs are aligned, never overlap, and none is refused while there is room (SWP-03)", () => {
  const step = fc.record({
    alloc: fc.boolean(),
    order: fc.constantFrom(0, 0, 2, 4, 9),
    at: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: "max" }), (steps) => {
      const pair = new Pair();
      for (const next of steps) pair.take(next);
      expect(pair.violations).toEqual([]);
    }),
    RUNS,
  );
});
