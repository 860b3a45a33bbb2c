import {
  DEF_PRIORITY,
  type FolioReclaimer,
  isBelowMin,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  type Lruvec,
  type Memory,
  type ScanControl,
} from "@lrugen/mm-core";
import type { Aging } from "../aging/aging.ts";
import type { LruGenMmWalk } from "../aging/mm-walk.ts";
import type { LruGenCaps } from "../switch/caps.ts";
import type { Eviction } from "./eviction.ts";
import type { ReclaimWalks } from "./reclaim-walks.ts";
import { type ScanTarget, shouldRunAging } from "./scan-target.ts";

/** CONST-06: pages evicted at a time, and the least target that raises the first priority. */
const MIN_LRU_BATCH = 64;
/** CONST-16: most that compact_gap() asks for. */
const MAX_COMPACT_GAP = 32;

/** compact_gap(): pages an allocation of this order wants free (CONST-17). */
function compactGap(order: number): number {
  return Math.min(2 * 2 ** order, MAX_COMPACT_GAP);
}

/** fls(): position of the highest set bit, from 1; 0 for 0. */
function fls(value: number): number {
  return value === 0 ? 0 : Math.floor(Math.log2(value)) + 1;
}

/**
 * Reclaiming from one lruvec until it gave its share: age when too few generations are left, evict
 * in batches, stop when the reclaimer has enough.
 * Source: SHR-01..03, STOP-01; mm/vmscan.c.
 */
export class ShrinkLruvec {
  private readonly memory: Memory;
  private readonly aging: Aging;
  private readonly caps: LruGenCaps;
  private readonly eviction: Eviction;
  private readonly target: ScanTarget;
  private readonly walks: ReclaimWalks;

  constructor(
    memory: Memory,
    aging: Aging,
    caps: LruGenCaps,
    eviction: Eviction,
    target: ScanTarget,
    walks: ReclaimWalks,
  ) {
    this.memory = memory;
    this.aging = aging;
    this.caps = caps;
    this.eviction = eviction;
    this.target = target;
    this.walks = walks;
  }

  /**
   * try_to_shrink_lruvec() (SHR-01).
   * @returns whether the memcg did its part and should move on in the memcg LRU
   */
  tryToShrink(lruvec: Lruvec, sc: ScanControl): boolean {
    const swappiness = this.target.swappiness(lruvec.memcg, sc);
    let rotate = false;
    let aged = false;
    for (let left = this.target.nrToScan(lruvec, sc, swappiness); left > 0;) {
      if (isBelowMin(sc.targetMemcg, lruvec.memcg)) return true;
      if (shouldRunAging(lruvec, sc.priority, swappiness)) {
        if (this.age(lruvec, sc, swappiness)) rotate = true;
        aged = true;
      }
      const nr = Math.min(left, MIN_LRU_BATCH);
      const scanned = this.eviction.evictFolios(nr, lruvec, sc, swappiness);
      if (scanned === 0 || this.shouldAbort(lruvec.node, sc) || (sc.isRootReclaim && aged)) break;
      left -= scanned;
    }
    return rotate;
  }

  /** should_abort_scan(): the reclaimer has enough (STOP-01). Signals are not modelled. */
  shouldAbort(node: number, sc: ScanControl): boolean {
    if (sc.nrReclaimed >= Math.max(sc.nrToReclaim, compactGap(sc.order))) return true;
    if (!sc.kswapd || sc.order > 0) return false;
    return (this.memory.reclaimer as FolioReclaimer).isBalanced(node, sc.reclaimIdx);
  }

  /** set_initial_priority(): a large target starts with larger scans (SHR-03). */
  setInitialPriority(node: number, sc: ScanControl): void {
    if (sc.priority !== DEF_PRIORITY || sc.nrToReclaim < MIN_LRU_BATCH) return;
    let reclaimable = this.sizeOnNode(node, LRU_INACTIVE_FILE);
    if (this.target.canReclaimAnon) reclaimable += this.sizeOnNode(node, LRU_INACTIVE_ANON);
    const priority = fls(reclaimable) - 1 - fls(sc.nrToReclaim - 1);
    sc.priority = Math.min(Math.max(priority, DEF_PRIORITY / 2), DEF_PRIORITY);
  }

  /** try_to_inc_max_seq(), with a walk structure if it comes to a walk (AGE-01 step 3). */
  private age(lruvec: Lruvec, sc: ScanControl, swappiness: number): boolean {
    const { maxSeq } = lruvec.lrugen;
    if (this.caps.mmWalk && maxSeq > lruvec.mmState.seq) this.walks.demand(sc);
    const walk = sc.policyWalk as LruGenMmWalk | null;
    return this.aging.tryToIncMaxSeq(sc.task.cpu, lruvec, maxSeq, swappiness, false, walk);
  }

  /** node_page_state(): pages of one classic counter over all memcgs. */
  private sizeOnNode(node: number, lru: number): number {
    let pages = 0;
    for (const memcg of this.memory.memcgs) pages += memcg?.lruvecs[node]?.sizeOf(lru) ?? 0;
    return pages;
  }
}
