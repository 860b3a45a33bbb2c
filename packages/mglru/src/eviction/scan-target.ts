import {
  DEF_PRIORITY,
  type FolioReclaimer,
  type Lruvec,
  MAX_NR_ZONES,
  type Memcg,
  type Memory,
  MIN_NR_GENS,
  type ScanControl,
  SWAP_CLUSTER_MAX,
} from "@lrugen/mm-core";
import {
  evictableMinSeq,
  genFromSeq,
  maxType,
  minType,
  SWAPPINESS_ANON_ONLY,
} from "../generation/generation.ts";

/** CONST-06: free swap pages below which anon memory is left alone (TRIG-02). */
const MIN_LRU_BATCH = 64;

/**
 * lruvec_evictable_size(): pages of all generations of the evictable types (TRIG-03). Sizes that are
 * negative for a while count as 0.
 */
export function evictableSize(lruvec: Lruvec, swappiness: number): number {
  const { lrugen } = lruvec;
  let pages = 0;
  for (let type = minType(swappiness); type <= maxType(swappiness); type++) {
    for (let seq = lrugen.minSeq[type] as number; seq <= lrugen.maxSeq; seq++) {
      const first = (genFromSeq(seq) * 2 + type) * MAX_NR_ZONES;
      for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
        pages += Math.max(lrugen.nrPages[first + zone] as number, 0);
      }
    }
  }
  return pages;
}

/** lruvec_is_sizable(): something would be scanned at this priority (TTL-03). */
export function isSizable(lruvec: Lruvec, priority: number, swappiness: number): boolean {
  const total = evictableSize(lruvec, swappiness);
  return lruvec.memcg.offline ? total > 0 : total >>> priority !== 0;
}

/** should_run_aging(): too few generations are left to evict from (TRIG-01). */
export function shouldRunAging(lruvec: Lruvec, priority: number, swappiness: number): boolean {
  const { maxSeq, minSeq } = lruvec.lrugen;
  const fewest = evictableMinSeq(minSeq, swappiness) + MIN_NR_GENS;
  if (fewest > maxSeq) return true;
  return priority !== DEF_PRIORITY && fewest === maxSeq;
}

/**
 * apply_proportional_protection(): the more of a memcg is protected, the less of it is scanned
 * (PROT-01). With an unlimited setting the least is scanned.
 */
export function applyProtection(memcg: Memcg, sc: ScanControl, scan: number): number {
  if (memcg.parent === null || memcg === sc.targetMemcg) return scan;
  const { emin, elow, usage } = memcg.memory;
  if (emin === 0 && elow === 0) return scan;
  let protection = emin;
  if (!sc.memcgLowReclaim && elow > emin) {
    protection = elow;
    sc.memcgLowSkipped = true;
  }
  const share =
    protection === Infinity
      ? scan
      : Math.floor((scan * protection) / (Math.max(usage, protection) + 1));
  return Math.max(scan - share, SWAP_CLUSTER_MAX);
}

/**
 * How much a reclaim scans, of what, by the settings of a memcg and the state of swap.
 * Source: TRIG-02..04; mm/vmscan.c.
 */
export class ScanTarget {
  private readonly memory: Memory;
  private readonly swappinessOf: (memcg: Memcg) => number;

  /** @param swappinessOf effective swappiness of a memcg, 0..201 */
  constructor(memory: Memory, swappinessOf: (memcg: Memcg) => number) {
    this.memory = memory;
    this.swappinessOf = swappinessOf;
  }

  /** get_swappiness(): 0 when anon memory has nowhere to go (TRIG-02). */
  swappiness(memcg: Memcg, sc: ScanControl): number {
    const swappiness = sc.proactiveSwappiness ?? this.swappinessOf(memcg);
    if (swappiness === SWAPPINESS_ANON_ONLY) return swappiness;
    if (!sc.maySwap || this.freeSwapPages(memcg) < MIN_LRU_BATCH) return 0;
    return swappiness;
  }

  /** can_reclaim_anon_pages(). */
  get canReclaimAnon(): boolean {
    return this.freeSwapPages(null) > 0;
  }

  /** get_nr_to_scan(): pages, 0 = none at this priority (TRIG-04). */
  nrToScan(lruvec: Lruvec, sc: ScanControl, swappiness: number): number {
    if (swappiness === SWAPPINESS_ANON_ONLY && this.freeSwapPages(lruvec.memcg) === 0) return 0;
    const size = evictableSize(lruvec, swappiness);
    if (lruvec.memcg.offline) return size;
    return applyProtection(lruvec.memcg, sc, size) >>> sc.priority;
  }

  private freeSwapPages(memcg: Memcg | null): number {
    return (this.memory.reclaimer as FolioReclaimer).freeSwapPages(memcg);
  }
}
