import {
  LRU_ACTIVE_ANON,
  LRU_INACTIVE_ANON,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { GenerationLists, LruGenMmWalk, Promotion } from "../../src/index.ts";
import { DMA32, Machine } from "../machine.ts";

/*
 * Version 2 of series inc-min-seq made the batched size change a signed long. A batch holds what leaves a
 * generation as a negative number, and a slot may be below zero until it is applied (SZB-03).
 */

/** Arrays that hold pending sizes, of the same 32 bits, signed and not. */
const SIGNED = (): Int32Array => new Int32Array(40);
const UNSIGNED = (): Uint32Array => new Uint32Array(40);

/** reset_batch_size() with any accumulator; the sizes are as wide as the kernel's, 64 bits. */
function flush(m: Machine, pending: Int32Array | Uint32Array): number[] {
  const sizes = Float64Array.from(m.lruvec.lrugen.nrPages);
  for (const [i, delta] of pending.entries()) sizes[i]! += delta;
  return [0, 1, 2, 3].map((gen) => sizes[gen * 2 * 5 + DMA32]!);
}

/** Three folios of four pages are promoted from seq 1 to seq 3; the walk's pending sizes. */
function promoteThree(m: Machine): LruGenMmWalk {
  const walk = new LruGenMmWalk();
  walk.begin(m.lruvec, 3, 60, true);
  const promotion = new Promotion(m.memory);
  for (let i = 0; i < 3; i++) {
    const folio = m.onList(1, PG_SWAPBACKED | PG_REFERENCED, 2);
    promotion.walkUpdateFolio(walk, folio, false, 3, false);
  }
  return walk;
}

describe("pending sizes of a walk are signed (SZB-01, SZB-03)", () => {
  test("an unsigned accumulator makes the old generation four billion pages large", () => {
    const m = new Machine();
    const walk = promoteThree(m);
    const [signed, unsigned] = [SIGNED(), UNSIGNED()];
    signed.set(walk.nrPages);
    unsigned.set(walk.nrPages);
    expect(flush(m, signed)).toEqual([0, 0, 0, 12]);
    expect(flush(m, unsigned)).toEqual([0, 2 ** 32, 0, 12]);
  });

  test("the one in use gives the sizes that the flags say (MINV-01)", () => {
    const m = new Machine();
    const walk = promoteThree(m);
    expect(Math.min(...walk.nrPages)).toBe(-12);
    new Promotion(m.memory).resetBatchSize(walk);
    expect([0, 1, 2, 3].map((gen) => m.pages(gen))).toEqual([0, 0, 0, 12]);
    const classic = [LRU_INACTIVE_ANON, LRU_ACTIVE_ANON].map((lru) => m.lruvec.sizeOf(lru));
    expect(classic).toEqual([0, 12]);
  });
});

describe("the size of a list that inc_min_seq() moves is signed (S1-02)", () => {
  test.each([
    [["batchSizes"]],
    [["batchSizes", "headToTail"]],
    [["batchSizes", "headToTail", "spliceRuns"]],
  ] as const)("%j: a slot that promotion left below zero comes out right", (features) => {
    const m = new Machine({ features });
    const generations = new GenerationLists(m.memory);
    for (let i = 0; i < 3; i++) m.onList(0, PG_SWAPBACKED, 1);
    // Promoted from seq 1 by a walk that has not flushed; then it left, so seq 3 lacks 16 pages.
    const gone = m.onList(1, PG_SWAPBACKED | PG_WORKINGSET, 4);
    m.setGen(gone, 3);
    m.isolate(gone);
    const pages = (): number[] => [0, 1, 2, 3].map((seq) => m.pages(seq));
    expect(pages()).toEqual([6, 16, 0, -16]);
    m.age();
    expect(pages()).toEqual([0, 22, 0, -16]);
    generations.updateSize(m.lruvec, 0, DMA32, 16, 1, 3);
    expect(pages()).toEqual([0, 6, 0, 0]);
  });

  test("what the old generation loses and the new one gains is one number, negated", () => {
    const m = new Machine({ features: ["batchSizes"] });
    for (let i = 0; i < 5; i++) m.onList(0, PG_SWAPBACKED, i);
    const [signed, unsigned] = [SIGNED(), UNSIGNED()];
    for (const delta of [signed, unsigned]) {
      delta[DMA32]! -= 31;
      delta[10 + DMA32]! += 31;
    }
    expect([flush(m, signed), flush(m, unsigned)]).toEqual([
      [0, 31, 0, 0],
      [2 ** 32, 31, 0, 0],
    ]);
    m.age();
    expect([0, 1].map((seq) => m.pages(seq))).toEqual([0, 31]);
  });
});
