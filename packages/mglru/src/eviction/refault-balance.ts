import { LRU_ANON, LRU_FILE, type LruGenFolio, MAX_NR_TIERS } from "@lrugen/mm-core";
import { MAX_SWAPPINESS } from "../generation/generation.ts";

/** CONST-06: refaults below this number prove nothing (PID-02), and what is added to a total. */
const MIN_LRU_BATCH = 64;
/** From here on doubles may not be exact. */
const EXACT_LIMIT = Number.MAX_SAFE_INTEGER;

/** struct ctrl_pos: what was refaulted out of how much, pages, and how much that weighs (PID-01). */
export interface CtrlPos {
  refaulted: number;
  total: number;
  gain: number;
}

/** Set point and process value, valid until the next comparison: no objects for every batch. */
const SET_POINT: CtrlPos = { refaulted: 0, total: 0, gain: 0 };
const PROCESS_VALUE: CtrlPos = { refaulted: 0, total: 0, gain: 0 };

/**
 * read_ctrl_pos(): moving average plus current counts of a type, one tier or, with
 * tier = MAX_NR_TIERS, all of them (PID-01).
 * @param pos filled in and returned
 */
export function readCtrlPos(
  lrugen: LruGenFolio,
  type: number,
  tier: number,
  gain: number,
  pos: CtrlPos,
): CtrlPos {
  const one = tier < MAX_NR_TIERS;
  const first = type * MAX_NR_TIERS + (one ? tier : 0);
  const last = one ? first + 1 : first + MAX_NR_TIERS;
  let refaulted = 0;
  let total = 0;
  for (let i = first; i < last; i++) {
    refaulted += (lrugen.avgRefaulted[i] as number) + (lrugen.refaulted[i] as number);
    total +=
      (lrugen.avgTotal[i] as number) +
      (lrugen.protected[i] as number) +
      (lrugen.evicted[i] as number);
  }
  pos.refaulted = refaulted;
  pos.total = total;
  pos.gain = gain;
  return pos;
}

/**
 * positive_ctrl_err(): the process value refaults no more than the set point does, both weighed by
 * their gains (PID-02).
 *
 * The products are taken in doubles. They are exact below 2^53, which needs 2^22 refaulted out of
 * 2^23 pages at gain 200; beyond it they are taken again in the kernel's 64 bits, wrap included.
 */
export function positiveCtrlErr(sp: CtrlPos, pv: CtrlPos): boolean {
  if (pv.refaulted < MIN_LRU_BATCH) return true;
  const left = pv.refaulted * (sp.total + MIN_LRU_BATCH) * sp.gain;
  const right = (sp.refaulted + 1) * pv.total * pv.gain;
  if (left <= EXACT_LIMIT && right <= EXACT_LIMIT) return left <= right;
  return (
    product(pv.refaulted, sp.total + MIN_LRU_BATCH, sp.gain) <=
    product(sp.refaulted + 1, pv.total, pv.gain)
  );
}

function product(a: number, b: number, c: number): bigint {
  return BigInt.asUintN(64, BigInt(a) * BigInt(b) * BigInt(c));
}

/** get_tier_idx(): the last tier that is evicted; higher ones are protected (TIER-01). */
export function tierLimit(lrugen: LruGenFolio, type: number): number {
  const sp = readCtrlPos(lrugen, type, 0, 2, SET_POINT);
  for (let tier = 1; tier < MAX_NR_TIERS; tier++) {
    const pv = readCtrlPos(lrugen, type, tier, 3, PROCESS_VALUE);
    if (!positiveCtrlErr(sp, pv)) return tier - 1;
  }
  return MAX_NR_TIERS - 1;
}

/** get_type_to_scan(): anon or file, whichever refaults less (TYPE-01, TYPE-02). */
export function typeToScan(lrugen: LruGenFolio, swappiness: number): number {
  if (swappiness <= 1) return LRU_FILE;
  if (swappiness >= MAX_SWAPPINESS) return LRU_ANON;
  const sp = readCtrlPos(lrugen, LRU_ANON, MAX_NR_TIERS, swappiness, SET_POINT);
  const rest = MAX_SWAPPINESS - swappiness;
  const pv = readCtrlPos(lrugen, LRU_FILE, MAX_NR_TIERS, rest, PROCESS_VALUE);
  return positiveCtrlErr(sp, pv) ? LRU_FILE : LRU_ANON;
}
