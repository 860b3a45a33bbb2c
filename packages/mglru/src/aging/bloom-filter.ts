// @hot
import type { LruGenMmState } from "@lrugen/mm-core";

/** CONST-11: bits of one filter. */
const BLOOM_FILTER_SHIFT = 15;
const WORDS = 1 << (BLOOM_FILTER_SHIFT - 5);
const KEY_MASK = (1 << BLOOM_FILTER_SHIFT) - 1;

/** The multiplier of hash_64(), high and low half (BLOOM-01). */
const GOLDEN_HI = 0x61c88646;
const GOLDEN_LO = 0x80b583eb;

/** Where the model's page tables seem to lie: a direct-map address, so that keys spread as real ones do. */
const DIRECT_MAP_HI = 0xffff8880;

/** High 32 bits of the product of two unsigned 32-bit numbers. */
function mulHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const mid = aHigh * bLow + ((aLow * bLow) >>> 16);
  return (
    aHigh * bHigh + Math.floor(mid / 65_536) + ((((mid & 0xffff) + aLow * bHigh) / 65_536) | 0)
  );
}

/**
 * Hash of a PMD entry: 30 bits, the low 15 one key, the high 15 the other.
 * @param pmdSlot slot of the entry; its address is taken as direct map + 8 * slot
 */
function itemKey(pmdSlot: number): number {
  const low = (pmdSlot << 3) >>> 0;
  const high = (DIRECT_MAP_HI + (pmdSlot >>> 29)) >>> 0;
  const top = mulHigh(low, GOLDEN_LO) + Math.imul(high, GOLDEN_LO) + Math.imul(low, GOLDEN_HI);
  return (top >>> 0) >>> 2;
}

/** reset_bloom_filter(): the filter of a generation is empty, and exists, from now on (BLOOM-04). */
export function resetBloomFilter(state: LruGenMmState, seq: number): void {
  const slot = seq % 2;
  const filter = state.filters[slot];
  if (filter) filter.fill(0);
  else state.filters[slot] = new Int32Array(WORDS);
}

/** update_bloom_filter(): remembers a PMD entry for a generation; ignored without a filter (BLOOM-03). */
export function updateBloomFilter(state: LruGenMmState, seq: number, pmdSlot: number): void {
  const filter = state.filters[seq % 2];
  if (!filter) return;
  const key = itemKey(pmdSlot);
  const first = key & KEY_MASK;
  const second = key >>> BLOOM_FILTER_SHIFT;
  filter[first >> 5]! |= 1 << (first & 31);
  filter[second >> 5]! |= 1 << (second & 31);
}

/** test_bloom_filter(): false = surely not remembered; true without a filter (BLOOM-02). */
export function testBloomFilter(state: LruGenMmState, seq: number, pmdSlot: number): boolean {
  const filter = state.filters[seq % 2];
  if (!filter) return true;
  const key = itemKey(pmdSlot);
  const first = key & KEY_MASK;
  const second = key >>> BLOOM_FILTER_SHIFT;
  return (
    ((filter[first >> 5] as number) & (1 << (first & 31))) !== 0 &&
    ((filter[second >> 5] as number) & (1 << (second & 31))) !== 0
  );
}

/** Set bits of a filter; what the oracle prints as bloom_bits. */
export function bloomFilterBits(filter: Int32Array): number {
  let bits = 0;
  for (const word of filter) {
    for (let rest = word; rest !== 0; rest &= rest - 1) bits += 1;
  }
  return bits;
}
