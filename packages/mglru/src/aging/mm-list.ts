import {
  type LruGenMmState,
  type Lruvec,
  type Memcg,
  type Mm,
  type MmListEntry,
  unlinkMm,
} from "@lrugen/mm-core";
import { resetBloomFilter } from "./bloom-filter.ts";
import type { LruGenMmWalk } from "./mm-walk.ts";

/** Every node's bit: the mm ran since its last walk there (CSW-10). */
const ALL_NODES = -1;

/** Appends an address space to its memcg's list; the next iteration scans it by force (MM-01, MM-02). */
export function lruGenAddMm(mm: Mm, memcg: Memcg): void {
  const { anchor } = memcg.mmList;
  memcg.mmList.append(mm.lruGen);
  mm.listedIn = memcg;
  for (const { mmState } of memcg.lruvecs) {
    if (mmState.tail === anchor) mmState.tail = mm.lruGen;
  }
}

/** Takes an address space off its list; positions that point at it step aside (MM-03). */
export function lruGenDelMm(mm: Mm): void {
  const memcg = mm.listedIn;
  if (memcg === null) return;
  for (const { mmState } of memcg.lruvecs) {
    if (mmState.head === mm.lruGen) mmState.head = mm.lruGen.prev;
    if (mmState.tail === mm.lruGen) mmState.tail = mm.lruGen.next;
  }
  unlinkMm(mm.lruGen);
  mm.listedIn = null;
}

/** The owner of an address space changed memcg (MM-04, CSW-32). */
export function lruGenMigrateMm(mm: Mm, memcg: Memcg): void {
  if (mm.listedIn === null || mm.listedIn === memcg) return;
  lruGenDelMm(mm);
  lruGenAddMm(mm, memcg);
}

/** lru_gen_use_mm(): a task of this address space is switched in (MM-05). */
export function lruGenUseMm(mm: Mm): void {
  mm.lruGenBitmap = ALL_NODES;
}

/** What one step of the iteration gives the walker. */
export interface NextMm {
  /** Address space to walk, null = none left for this walker. */
  readonly mm: Mm | null;
  /** This walker finished the list, so it is the one to raise max_seq (CSW-22). */
  readonly last: boolean;
}

/**
 * iterate_mm_list(): the next address space to walk for `walk.seq`, and the bookkeeping of the one
 * just walked.
 * @param walked whether the walker comes from an address space
 * Source: ITER-01..05, CSW-20..22; mm/vmscan.c.
 */
export function iterateMmList(walk: LruGenMmWalk, walked: boolean): NextMm {
  const lruvec = walk.lruvec as Lruvec;
  const { mmState, memcg, node } = lruvec;
  const { anchor } = memcg.mmList;
  if (walk.seq <= mmState.seq) {
    if (walked) resetMmStats(walk, mmState);
    return { mm: null, last: false };
  }
  const bit = 1 << (node % 32);
  let head: MmListEntry = mmState.head ?? anchor;
  const first = head === anchor;
  let mm: Mm | null = null;
  let last = false;
  for (;;) {
    head = head.next;
    if (head === anchor) {
      mmState.seq += 1;
      last = true;
      break;
    }
    if (mmState.tail === null || mmState.tail === head) {
      mmState.tail = head.next;
      walk.forceScan = true;
    }
    const candidate = head.mm as Mm;
    if (!walk.forceScan && (candidate.lruGenBitmap & bit) === 0) continue;
    candidate.lruGenBitmap &= ~bit;
    mm = candidate;
    break;
  }
  mmState.head = head;
  if (walked || last) resetMmStats(walk, mmState);
  if (mm !== null && first) resetBloomFilter(mmState, walk.seq + 1);
  return { mm, last };
}

/** iterate_mm_list_nowalk(): an aging without a walk; the next walk scans everything (ITER-08). */
export function iterateMmListNowalk(mmState: LruGenMmState, seq: number): boolean {
  if (seq <= mmState.seq) return false;
  mmState.head = null;
  mmState.tail = null;
  mmState.seq += 1;
  return true;
}

/** reset_mm_stats(): the walk's counts go to the lruvec (STAT-01, NR_HIST_GENS = 1). */
function resetMmStats(walk: LruGenMmWalk, mmState: LruGenMmState): void {
  for (let i = 0; i < walk.mmStats.length; i++) {
    mmState.stats[i]! += walk.mmStats[i] as number;
    walk.mmStats[i] = 0;
  }
}
