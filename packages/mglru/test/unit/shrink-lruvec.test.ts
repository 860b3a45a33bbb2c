import { PG_SWAPBACKED, type ScanRequest } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { ReclaimWalks, ScanTarget, ShrinkLruvec } from "../../src/index.ts";
import { Machine } from "../machine.ts";

function shrinkOf(m: Machine): ShrinkLruvec {
  const { aging, caps, eviction } = m.policy;
  const target = new ScanTarget(m.memory, () => 60);
  return new ShrinkLruvec(m.memory, aging, caps, eviction, target, new ReclaimWalks(1));
}

function run(m: Machine, priority: number, request: Partial<ScanRequest> = {}): boolean {
  const sc = m.scanControl({ nrToReclaim: 1_000_000, ...request });
  sc.priority = priority;
  return shrinkOf(m).tryToShrink(m.lruvec, sc);
}

/** A machine with `count` file folios in the oldest generation. */
function withFiles(count: number): Machine {
  const m = new Machine();
  for (let i = 0; i < count; i++) m.onList(0, 0);
  return m;
}

describe("tryToShrink", () => {
  test("scans what the priority asks for, computed once, in batches of 64 (SHR-01)", () => {
    const m = withFiles(400);
    run(m, 1);
    expect(m.reclaimer.batches.map((batch) => batch.length)).toEqual([64, 64, 64, 8]);
  });

  test("does nothing at all for a small memcg at priority 12, not even aging (SHR-02)", () => {
    const m = withFiles(400);
    m.lruvec.lrugen.minSeq.fill(2);
    expect([run(m, 12), m.reclaimer.batches, m.lruvec.lrugen.maxSeq]).toEqual([false, [], 3]);
  });

  test("ages first when two generations are left, and evicts in the same round (SHR-01, TRIG-01)", () => {
    const m = withFiles(0);
    const folio = m.onList(2, 0);
    m.lruvec.lrugen.minSeq.fill(2);
    expect([run(m, 0), m.reclaimer.processed, m.lruvec.lrugen.maxSeq]).toEqual([true, [folio], 4]);
  });

  test("an aging that another walker holds up asks for no rotation (SHR-01, AGE-01)", () => {
    const m = withFiles(0);
    m.onList(2, 0);
    m.lruvec.lrugen.minSeq.fill(2);
    m.lruvec.mmState.seq = 3;
    expect([run(m, 0), m.reclaimer.batches]).toEqual([false, []]);
  });

  test("reclaim of the machine stops after a batch that followed aging (SHR-01 step 4)", () => {
    const batches = [null, undefined].map((targetMemcg) => {
      const m = withFiles(0);
      for (let i = 0; i < 100; i++) m.onList(2, 0);
      m.lruvec.lrugen.minSeq.fill(2);
      run(m, 0, targetMemcg === null ? { targetMemcg } : {});
      return m.reclaimer.batches.length;
    });
    expect(batches).toEqual([1, 2]);
  });

  test("a memcg below memory.min is passed over, and rotates (SHR-01 step 1)", () => {
    const m = withFiles(100);
    m.memcg.memory.emin = m.memcg.memory.usage;
    expect([run(m, 0, { targetMemcg: null }), m.reclaimer.batches]).toEqual([true, []]);
  });

  test("takes a walk structure when it ages, and look-around has it from then on (LOOK-05)", () => {
    const m = withFiles(100);
    const sc = m.scanControl();
    sc.priority = 0;
    shrinkOf(m).tryToShrink(m.lruvec, sc);
    expect(sc.policyWalk).toBeNull();
    m.lruvec.lrugen.minSeq.fill(2);
    m.onList(2, 0);
    shrinkOf(m).tryToShrink(m.lruvec, sc);
    expect(sc.policyWalk).not.toBeNull();
  });
});

describe("shouldAbort", () => {
  test.each([
    ["the target is met", { nrToReclaim: 32 }, 32, true],
    ["it is not", { nrToReclaim: 32 }, 31, false],
    ["a large allocation wants twice its size", { nrToReclaim: 1, order: 3 }, 15, false],
    ["and has it", { nrToReclaim: 1, order: 3 }, 16, true],
    ["no more than 32 pages for one of any order", { nrToReclaim: 1, order: 9 }, 32, true],
  ])("when %s (STOP-01, CONST-17)", (_what, request, reclaimed, expected) => {
    const m = new Machine();
    const sc = m.scanControl(request);
    sc.nrReclaimed = reclaimed;
    expect(shrinkOf(m).shouldAbort(0, sc)).toBe(expected);
  });

  test.each([
    ["kswapd stops when the node is balanced", { kswapd: true }, true],
    ["not if it works for a large allocation", { kswapd: true, order: 1 }, false],
    ["others do not look", {}, false],
  ])("%s (STOP-01)", (_what, request, expected) => {
    const m = new Machine();
    m.reclaimer.balanced = true;
    const sc = m.scanControl({ nrToReclaim: 1000, targetMemcg: null, ...request });
    expect(shrinkOf(m).shouldAbort(0, sc)).toBe(expected);
  });
});

/** The priority that a reclaim begins with where 1,000 file and 1,000 anon pages are inactive. */
function initialPriority(nrToReclaim: number, swapPages: number, start = 12): number {
  const m = new Machine({ nodes: [{ zones: [{ zone: 1, pages: 4096 }] }] });
  for (let i = 0; i < 1000; i++) {
    m.onList(0, 0);
    m.onList(1, PG_SWAPBACKED);
    m.onList(3, 0); // active: does not count
  }
  m.reclaimer.swapPages = swapPages;
  const sc = m.scanControl({ nrToReclaim });
  sc.priority = start;
  shrinkOf(m).setInitialPriority(0, sc);
  return sc.priority;
}

describe("setInitialPriority", () => {
  test("is left alone for small targets, and after the first priority (SHR-03)", () => {
    expect([initialPriority(63, 0), initialPriority(64, 0, 11)]).toEqual([12, 11]);
  });

  test("never begins below 6 (SHR-03)", () => {
    expect([initialPriority(64, 1), initialPriority(1024, 1)]).toEqual([6, 6]);
  });

  test("counts inactive pages of all memcgs, anon only with swap (SHR-03)", () => {
    const m = new Machine();
    m.lruvec.lruSize[0] = 40_000; // inactive anon
    m.memory.root.lruvecs[0]!.lruSize[2 * 5] = 40_000; // inactive file
    const priorities = [0, 1].map((swapPages) => {
      m.reclaimer.swapPages = swapPages;
      const sc = m.scanControl({ nrToReclaim: 64 });
      shrinkOf(m).setInitialPriority(0, sc);
      return sc.priority;
    });
    expect(priorities).toEqual([9, 10]); // fls(40000) = 16, fls(80000) = 17, fls(63) = 6
  });
});

describe("shrinkLruvec", () => {
  test("drains this CPU's batches, and a memcg that aged goes to the young generation (SHR-05)", () => {
    const m = withFiles(0);
    m.onList(2, 0);
    m.lruvec.lrugen.minSeq.fill(2);
    const sc = m.scanControl();
    sc.priority = 0;
    m.policy.shrinkLruvec(m.lruvec, sc);
    expect([m.batches.drains, m.lruvec.lrugen.gen, sc.policyWalk]).toEqual([1, 1, null]);
  });

  test("one that did not stays where it is", () => {
    const m = withFiles(100);
    const sc = m.scanControl();
    sc.priority = 0;
    m.policy.shrinkLruvec(m.lruvec, sc);
    expect([m.lruvec.lrugen.gen, sc.nrReclaimed]).toEqual([0, 64]);
  });

  test("at priorities 12 to 0 ages and evicts as the kernel does with 65 pages (GT-11)", () => {
    const m = new Machine();
    for (let i = 0; i < 65; i++) m.onList(2, PG_SWAPBACKED);
    m.lruvec.lrugen.minSeq.fill(2);
    const sc = m.scanControl({ nrToReclaim: 32, proactive: true, swappiness: 60 });
    for (; sc.priority >= 0 && sc.nrReclaimed < 32; sc.priority--) {
      m.policy.shrinkLruvec(m.lruvec, sc);
    }
    expect(m.lruvec.lrugen.maxSeq).toBe(5);
    expect(m.reclaimer.batches.map((batch) => batch.length)).toEqual([1, 2, 3, 7, 13, 19]);
  });
});
