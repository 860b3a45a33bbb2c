import { LRU_FILE, MAX_NR_ZONES, PG_SWAPBACKED } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import {
  applyProtection,
  evictableSize,
  isSizable,
  ScanTarget,
  shouldRunAging,
} from "../../src/index.ts";
import { Machine } from "../machine.ts";

function withPages(anon: number, file: number): Machine {
  const m = new Machine();
  for (let i = 0; i < anon; i++) m.onList(i % 4, PG_SWAPBACKED);
  for (let i = 0; i < file; i++) m.onList(i % 4, 0);
  return m;
}

/** The protection of memcg /t as reclaim of the machine computed it. */
function protect(m: Machine, emin: number, elow: number, usage: number): void {
  Object.assign(m.memcg.memory, { emin, elow, usage });
}

describe("evictableSize", () => {
  test.each([
    [0, 5],
    [1, 12],
    [60, 12],
    [200, 12],
    [201, 7],
  ])("under swappiness %i is %i pages of 7 anon and 5 file (TRIG-03)", (swappiness, pages) => {
    expect(evictableSize(withPages(7, 5).lruvec, swappiness)).toBe(pages);
  });

  test("counts a size that is negative for a while as none (TRIG-03, SZB-03)", () => {
    const m = withPages(0, 5);
    m.lruvec.lrugen.nrPages[(3 * 2 + LRU_FILE) * MAX_NR_ZONES] = -4;
    expect(evictableSize(m.lruvec, 60)).toBe(5);
  });
});

describe("isSizable", () => {
  test("asks whether anything would be scanned at the priority (TTL-03)", () => {
    const { lruvec } = withPages(0, 8);
    expect([3, 4].map((priority) => isSizable(lruvec, priority, 60))).toEqual([true, false]);
  });

  test("of a removed memcg only whether anything is left (TTL-03)", () => {
    const m = withPages(0, 1);
    m.memcg.offline = true;
    expect([isSizable(m.lruvec, 12, 60), isSizable(m.lruvec, 12, 201)]).toEqual([true, false]);
  });
});

describe("shouldRunAging", () => {
  test.each([
    [3, 4, 12, true],
    [3, 4, 0, true],
    [2, 4, 12, false],
    [2, 4, 11, true],
    [1, 4, 11, false],
  ])("min %i, max %i at priority %i: %s (TRIG-01)", (min, max, priority, expected) => {
    const { lruvec } = new Machine();
    lruvec.lrugen.maxSeq = max;
    lruvec.lrugen.minSeq.fill(min);
    expect(shouldRunAging(lruvec, priority, 60)).toBe(expected);
  });

  test("looks at the older type of those that are evictable (TRIG-01, MAP-07)", () => {
    const { lruvec } = new Machine();
    lruvec.lrugen.minSeq.set([0, 2]);
    expect([60, 0].map((swappiness) => shouldRunAging(lruvec, 12, swappiness))).toEqual([
      false,
      true,
    ]);
  });
});

const targetOf = (m: Machine): ScanTarget => new ScanTarget(m.memory, () => 60);

describe("swappiness", () => {
  test("is the request's, else the memcg's (TRIG-02)", () => {
    const m = new Machine();
    expect(targetOf(m).swappiness(m.memcg, m.scanControl())).toBe(60);
    expect(targetOf(m).swappiness(m.memcg, m.scanControl({ swappiness: 7 }))).toBe(7);
  });

  test("is 0 without room for 64 pages in swap, or when swapping is not allowed (TRIG-02)", () => {
    const m = new Machine();
    const sc = m.scanControl();
    m.reclaimer.swapPages = 64;
    expect(targetOf(m).swappiness(m.memcg, sc)).toBe(60);
    m.reclaimer.swapPages = 63;
    expect(targetOf(m).swappiness(m.memcg, sc)).toBe(0);
    m.reclaimer.swapPages = 64;
    sc.maySwap = false;
    expect(targetOf(m).swappiness(m.memcg, sc)).toBe(0);
  });

  test("201 is returned as it is (TRIG-02)", () => {
    const m = new Machine();
    m.reclaimer.swapPages = 0;
    expect(targetOf(m).swappiness(m.memcg, m.scanControl({ swappiness: 201 }))).toBe(201);
  });
});

describe("nrToScan", () => {
  test("is the evictable size shifted by the priority (TRIG-04)", () => {
    const m = withPages(0, 100);
    const target = new ScanTarget(m.memory, () => 60);
    const sc = m.scanControl();
    const sizes = [12, 6, 5, 0].map((priority) => {
      sc.priority = priority;
      return target.nrToScan(m.lruvec, sc, 60);
    });
    expect(sizes).toEqual([0, 1, 3, 100]);
  });

  test("is all of a removed memcg at any priority (TRIG-04)", () => {
    const m = withPages(0, 3);
    m.memcg.offline = true;
    expect(new ScanTarget(m.memory, () => 60).nrToScan(m.lruvec, m.scanControl(), 60)).toBe(3);
  });

  test("is 0 for anon only without swap (TRIG-04)", () => {
    const m = withPages(100, 0);
    const target = new ScanTarget(m.memory, () => 201);
    const sc = m.scanControl();
    sc.priority = 0;
    expect(target.nrToScan(m.lruvec, sc, 201)).toBe(100);
    m.reclaimer.swapPages = 0;
    expect(target.nrToScan(m.lruvec, sc, 201)).toBe(0);
  });
});

describe("applyProtection", () => {
  const machineWide = { targetMemcg: null };

  test("reduces the scan in proportion to what is protected (PROT-01)", () => {
    const m = new Machine();
    protect(m, 300, 0, 999);
    expect(applyProtection(m.memcg, m.scanControl(machineWide), 1000)).toBe(700);
  });

  test("to no less than 32 pages (PROT-01)", () => {
    const m = new Machine();
    protect(m, 990, 0, 999);
    expect(applyProtection(m.memcg, m.scanControl(machineWide), 1000)).toBe(32);
    protect(m, Infinity, 0, 999);
    expect(applyProtection(m.memcg, m.scanControl(machineWide), 1000)).toBe(32);
  });

  test("by low unless low is overridden, and notes that somebody was spared (PROT-01)", () => {
    const m = new Machine();
    protect(m, 100, 500, 999);
    const sc = m.scanControl(machineWide);
    expect([applyProtection(m.memcg, sc, 1000), sc.memcgLowSkipped]).toEqual([500, true]);
    const override = m.scanControl(machineWide);
    override.memcgLowReclaim = true;
    expect([applyProtection(m.memcg, override, 1000), override.memcgLowSkipped]).toEqual([
      900,
      false,
    ]);
  });

  test("not against its own limit, not of the root, not without protection (PROT-01)", () => {
    const m = new Machine();
    protect(m, 300, 0, 999);
    expect(applyProtection(m.memcg, m.scanControl(), 5)).toBe(5);
    expect(applyProtection(m.memory.root, m.scanControl(machineWide), 5)).toBe(5);
    protect(m, 0, 0, 999);
    expect(applyProtection(m.memcg, m.scanControl(machineWide), 5)).toBe(5);
  });
});
