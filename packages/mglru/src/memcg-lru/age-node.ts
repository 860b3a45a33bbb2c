import {
  calculateProtection,
  type FolioReclaimer,
  isBelowMin,
  type Lruvec,
  type Memory,
  type ScanControl,
} from "@lrugen/mm-core";
import { isSizable, type ScanTarget } from "../eviction/scan-target.ts";
import type { ShrinkLruvec } from "../eviction/shrink-lruvec.ts";
import { evictableMinSeq, genFromSeq } from "../generation/generation.ts";

/**
 * What kswapd does once a round before it shrinks anything: protection of all memcgs, and the working
 * set of the last min_ttl_ms against thrashing. Nothing ages here (TTL-05).
 * Source: TTL-01..04; mm/vmscan.c:lru_gen_age_node, lruvec_is_reclaimable.
 */
export class AgeNode {
  private readonly memory: Memory;
  private readonly shrink: ShrinkLruvec;
  private readonly target: ScanTarget;
  private readonly minTtl: () => number;

  /** @param minTtl min_ttl_ms in jiffies */
  constructor(memory: Memory, shrink: ShrinkLruvec, target: ScanTarget, minTtl: () => number) {
    this.memory = memory;
    this.shrink = shrink;
    this.target = target;
    this.minTtl = minTtl;
  }

  /** One node's turn. Out of memory when everything left is younger than min_ttl_ms (TTL-04). */
  ageNode(node: number, sc: ScanControl): void {
    const minTtl = this.minTtl();
    let reclaimable = minTtl === 0;
    this.shrink.setInitialPriority(node, sc);
    for (const memcg of this.memory.root.preOrder()) {
      calculateProtection(null, memcg);
      reclaimable ||= this.isReclaimable(memcg.lruvecs[node] as Lruvec, sc, minTtl);
    }
    if (!reclaimable) (this.memory.reclaimer as FolioReclaimer).outOfMemory(sc.task);
  }

  /** lruvec_is_reclaimable(): sizable, and its oldest generation is older than min_ttl (TTL-02). */
  private isReclaimable(lruvec: Lruvec, sc: ScanControl, minTtl: number): boolean {
    const { memcg, lrugen } = lruvec;
    if (isBelowMin(null, memcg)) return false;
    const swappiness = this.target.swappiness(memcg, sc);
    if (!isSizable(lruvec, sc.priority, swappiness)) return false;
    const oldest = evictableMinSeq(lrugen.minSeq, swappiness);
    const birth = lrugen.timestamps[genFromSeq(oldest)] as number;
    return this.memory.clock.jiffies > birth + minTtl;
  }
}
