import type { ScanControl } from "@lrugen/mm-core";
import { LruGenMmWalk } from "../aging/mm-walk.ts";

/**
 * Walk structures of reclaimers: each node has one for kswapd, others get one while they need it.
 * Reclaim does not nest, so that one is enough for them all.
 * Source: LOOK-05, LAY-04; mm/vmscan.c:set_mm_walk, clear_mm_walk.
 */
export class ReclaimWalks {
  private readonly ofKswapd: readonly LruGenMmWalk[];
  private readonly spare: LruGenMmWalk = new LruGenMmWalk();

  /** @param nodes number of nodes */
  constructor(nodes: number) {
    this.ofKswapd = Array.from({ length: nodes }, () => new LruGenMmWalk());
  }

  /** set_mm_walk() at the beginning of a reclaim: for kswapd, and for those that asked for it. */
  begin(sc: ScanControl, node: number): void {
    if (sc.kswapd) sc.policyWalk = this.ofKswapd[node];
    else if (sc.proactive) this.demand(sc);
  }

  /** set_mm_walk() with force_alloc: aging cannot do without. */
  demand(sc: ScanControl): void {
    sc.policyWalk ??= this.spare;
  }

  /** clear_mm_walk(): the reclaim is over. */
  end(sc: ScanControl): void {
    const walk = sc.policyWalk as LruGenMmWalk | null;
    if (walk !== null && walk.batched > 0) throw new Error("promotions were never accounted");
    sc.policyWalk = null;
  }
}
