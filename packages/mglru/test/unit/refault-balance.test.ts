import { LRU_ANON, LRU_FILE, MAX_NR_TIERS } from "@lrugen/mm-core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CtrlPos,
  positiveCtrlErr,
  readCtrlPos,
  tierLimit,
  typeToScan,
} from "../../src/index.ts";
import { Machine } from "../machine.ts";

/** Counts one type's tier as `refaulted` out of `total`. */
function history(m: Machine, type: number, tier: number, refaulted: number, total: number): void {
  m.lruvec.lrugen.refaulted[type * MAX_NR_TIERS + tier] = refaulted;
  m.lruvec.lrugen.evicted[type * MAX_NR_TIERS + tier] = total;
}

/** A position of the controller. */
function pos(refaulted: number, total: number, gain = 1): CtrlPos {
  return { refaulted, total, gain };
}

describe("readCtrlPos", () => {
  test("adds the averages to what was counted since, protected folios included (PID-01)", () => {
    const { lruvec } = new Machine();
    const { lrugen } = lruvec;
    lrugen.avgRefaulted[5] = 1;
    lrugen.refaulted[5] = 2;
    lrugen.avgTotal[5] = 10;
    lrugen.protected[5] = 20;
    lrugen.evicted[5] = 40;
    expect(readCtrlPos(lrugen, LRU_FILE, 1, 3, pos(0, 0))).toEqual({
      refaulted: 3,
      total: 70,
      gain: 3,
    });
  });

  test("sums all tiers of one type when none is named (PID-01)", () => {
    const { lruvec } = new Machine();
    lruvec.lrugen.refaulted.set([1, 2, 4, 8, 16, 32, 64, 128]);
    lruvec.lrugen.evicted.set([1, 1, 1, 1, 2, 2, 2, 2]);
    expect(readCtrlPos(lruvec.lrugen, LRU_FILE, MAX_NR_TIERS, 1, pos(0, 0))).toEqual({
      refaulted: 240,
      total: 8,
      gain: 1,
    });
  });
});

describe("positiveCtrlErr", () => {
  test("63 refaults prove nothing, 64 do (PID-02)", () => {
    const sp = pos(0, 1_000_000);
    expect([positiveCtrlErr(sp, pos(63, 1)), positiveCtrlErr(sp, pos(64, 1))]).toEqual([
      true,
      false,
    ]);
  });

  test("holds up to equality of the weighed shares (PID-02)", () => {
    // 64 * (36 + 64) * 1 against (9 + 1) * B * 1
    expect([639, 640].map((total) => positiveCtrlErr(pos(9, 36), pos(64, total)))).toEqual([
      false,
      true,
    ]);
  });

  test("the gain of the set point weighs against the process value (PID-02)", () => {
    expect([
      positiveCtrlErr(pos(9, 36, 1), pos(64, 640, 1)),
      positiveCtrlErr(pos(9, 36, 3), pos(64, 640, 2)),
    ]).toEqual([true, false]);
  });

  test("agrees with 64-bit integers for any sizes, where doubles are not exact too (PID-02)", () => {
    const size = fc.oneof(
      fc.nat(1000),
      fc.maxSafeNat().map((n) => n % 2 ** 36),
    );
    const gain = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(size, size, gain, size, size, gain, (a, t, g, r, b, h) => {
        const left = BigInt.asUintN(64, BigInt(r) * (BigInt(t) + 64n) * BigInt(g));
        const right = BigInt.asUintN(64, (BigInt(a) + 1n) * BigInt(b) * BigInt(h));
        expect(positiveCtrlErr(pos(a, t, g), pos(r, b, h))).toBe(r < 64 || left <= right);
      }),
      { seed: 1 },
    );
  });
});

describe("tierLimit", () => {
  test("evicts every tier while few pages refault (TIER-01)", () => {
    expect(tierLimit(new Machine().lruvec.lrugen, LRU_FILE)).toBe(3);
  });

  test.each([1, 2, 3])(
    "protects tier %i and above once it refaults more than tier 0 does (TIER-01)",
    (tier) => {
      const m = new Machine();
      history(m, LRU_FILE, 0, 10, 1000);
      history(m, LRU_FILE, tier, 100, 200);
      expect([tierLimit(m.lruvec.lrugen, LRU_FILE), tierLimit(m.lruvec.lrugen, LRU_ANON)]).toEqual([
        tier - 1,
        3,
      ]);
    },
  );

  test("gives a tier half as much again as tier 0 has: gains 2 and 3 (TIER-01)", () => {
    const m = new Machine();
    history(m, LRU_FILE, 0, 99, 1000 - 64);
    history(m, LRU_FILE, 1, 150, 1000);
    expect(tierLimit(m.lruvec.lrugen, LRU_FILE)).toBe(3);
    history(m, LRU_FILE, 1, 151, 1000);
    expect(tierLimit(m.lruvec.lrugen, LRU_FILE)).toBe(0);
  });
});

describe("typeToScan", () => {
  test.each([
    [0, LRU_FILE],
    [1, LRU_FILE],
    [2, LRU_FILE],
    [60, LRU_FILE],
    [199, LRU_FILE],
    [200, LRU_ANON],
    [201, LRU_ANON],
  ])("without refaults swappiness %i takes type %i (TYPE-01, TYPE-02)", (swappiness, type) => {
    expect(typeToScan(new Machine().lruvec.lrugen, swappiness)).toBe(type);
  });

  test("takes anon once file refaults more, weighed by swappiness (TYPE-01)", () => {
    const m = new Machine();
    history(m, LRU_ANON, 2, 99, 1000 - 64);
    history(m, LRU_FILE, 1, 200, 1000);
    // 200 * 1000 * s <= 100 * 1000 * (200 - s)
    expect([66, 67].map((swappiness) => typeToScan(m.lruvec.lrugen, swappiness))).toEqual([
      LRU_FILE,
      LRU_ANON,
    ]);
  });

  test("the age of the oldest generations plays no role (TYPE-01)", () => {
    const m = new Machine();
    m.lruvec.lrugen.minSeq[LRU_FILE] = 2;
    expect(typeToScan(m.lruvec.lrugen, 60)).toBe(LRU_FILE);
  });
});
