import { LruGenMmState } from "@lrugen/mm-core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bloomFilterBits,
  resetBloomFilter,
  testBloomFilter,
  updateBloomFilter,
} from "../../src/index.ts";

/** The rule in 64-bit arithmetic: where the entry lies, times a constant, its top 30 bits in halves. */
function keysOf(pmdSlot: number): number[] {
  const address = 0xffff_8880_0000_0000n + 8n * BigInt(pmdSlot);
  const hash = BigInt.asUintN(64, address * 0x61c8_8646_80b5_83ebn) >> 34n;
  return [Number(hash & 0x7fffn), Number(hash >> 15n)];
}

/** Bits that are set in a filter. */
function bitsOf(filter: Int32Array | null): number[] {
  return [...filter!.entries()].flatMap(([word, bits]) =>
    Array.from({ length: 32 }, (_, bit) => word * 32 + bit).filter(
      (bit) => (bits >>> (bit % 32)) & 1,
    ),
  );
}

function state(): LruGenMmState {
  const mmState = new LruGenMmState();
  resetBloomFilter(mmState, 0);
  resetBloomFilter(mmState, 1);
  return mmState;
}

const slots = fc.nat(2 ** 31 - 1);

describe("the two keys of a PMD entry (BLOOM-01)", () => {
  test.each([0, 1, 511, 512, 0x1234_5678, 0x1fff_ffff, 0x2000_0000, 0x7fff_ffff])(
    "slot %i sets the bits that 64-bit arithmetic gives",
    (slot) => {
      const mmState = state();
      updateBloomFilter(mmState, 0, slot);
      expect(new Set(bitsOf(mmState.filters[0]!))).toEqual(new Set(keysOf(slot)));
    },
  );

  test("for any slot", () => {
    fc.assert(
      fc.property(slots, (slot) => {
        const mmState = state();
        updateBloomFilter(mmState, 1, slot);
        expect(new Set(bitsOf(mmState.filters[1]!))).toEqual(new Set(keysOf(slot)));
      }),
      { seed: 7 },
    );
  });

  test("spread over the filter: neighbours share no bit", () => {
    const mmState = state();
    for (let slot = 512; slot < 576; slot++) updateBloomFilter(mmState, 0, slot);
    expect(bloomFilterBits(mmState.filters[0]!)).toBe(128);
  });
});

describe("a filter", () => {
  test("never forgets what was added until it is reset (BLOOM-02, BLOOM-03, MINV-32)", () => {
    fc.assert(
      fc.property(fc.array(slots, { maxLength: 300 }), fc.nat(99), (added, seq) => {
        const mmState = state();
        for (const slot of added) updateBloomFilter(mmState, seq, slot);
        expect(added.filter((slot) => !testBloomFilter(mmState, seq, slot))).toEqual([]);
      }),
      { seed: 7 },
    );
  });

  test("needs both bits to say yes (BLOOM-02)", () => {
    const slot = 4711;
    for (const bit of keysOf(slot)) {
      const mmState = state();
      mmState.filters[0]![bit >> 5]! |= 1 << (bit & 31);
      expect(testBloomFilter(mmState, 0, slot)).toBe(false);
    }
  });

  test("belongs to every other generation (CONST-10, MAP-01)", () => {
    const mmState = state();
    updateBloomFilter(mmState, 7, 4711);
    expect([5, 6, 7, 8, 9].map((seq) => testBloomFilter(mmState, seq, 4711))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test("that is missing says yes to everything and remembers nothing (BLOOM-02, BLOOM-03)", () => {
    const mmState = new LruGenMmState();
    updateBloomFilter(mmState, 0, 4711);
    expect([testBloomFilter(mmState, 0, 4712), mmState.filters]).toEqual([true, [null, null]]);
  });

  test("is made, or emptied in place, by a reset; the other one is left alone (BLOOM-04)", () => {
    const mmState = new LruGenMmState();
    resetBloomFilter(mmState, 3);
    const [other, filter] = mmState.filters;
    expect([other, filter!.length * 32]).toEqual([null, 32_768]);
    updateBloomFilter(mmState, 3, 4711);
    resetBloomFilter(mmState, 4);
    expect(testBloomFilter(mmState, 3, 4711)).toBe(true);
    resetBloomFilter(mmState, 5);
    expect(mmState.filters[1]).toBe(filter);
    expect([testBloomFilter(mmState, 3, 4711), bloomFilterBits(filter!)]).toEqual([false, 0]);
  });
});

test("set bits are counted in every word, the sign bit included", () => {
  expect(bloomFilterBits(Int32Array.of(0, 1, -1, 1 << 31, 0x0f0f))).toBe(1 + 32 + 1 + 8);
});
