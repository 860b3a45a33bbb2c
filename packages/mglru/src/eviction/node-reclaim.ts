import type { Lruvec, Memcg, Memory, ScanControl } from "@lrugen/mm-core";
import type { Aging } from "../aging/aging.ts";
import { AgeNode } from "../memcg-lru/age-node.ts";
import { MEMCG_LRU_YOUNG, type MemcgLru } from "../memcg-lru/memcg-lru.ts";
import { ShrinkNode } from "../memcg-lru/shrink-node.ts";
import type { LruGenCaps } from "../switch/caps.ts";
import type { LruGenSysfs } from "../switch/sysfs.ts";
import type { Eviction } from "./eviction.ts";
import { ReclaimWalks } from "./reclaim-walks.ts";
import { ScanTarget } from "./scan-target.ts";
import { ShrinkLruvec } from "./shrink-lruvec.ts";

/** The parts of the policy that reclaim is made of. */
export interface ReclaimParts {
  readonly aging: Aging;
  readonly eviction: Eviction;
  readonly memcgLrus: readonly MemcgLru[];
  readonly sysfs: LruGenSysfs;
  readonly caps: LruGenCaps;
}

/**
 * The three ways into eviction: a memcg at its limit, a machine that is short, and kswapd's round.
 * Source: SHR-04, SHR-05, TTL-01; mm/vmscan.c.
 */
export class NodeReclaim {
  readonly node: ShrinkNode;
  readonly aging: AgeNode;
  private readonly memory: Memory;
  private readonly memcgLrus: readonly MemcgLru[];
  private readonly shrink: ShrinkLruvec;
  private readonly walks: ReclaimWalks;

  constructor(memory: Memory, parts: ReclaimParts, swappinessOf: (memcg: Memcg) => number) {
    const { aging, eviction, memcgLrus, sysfs, caps } = parts;
    const target = new ScanTarget(memory, swappinessOf);
    this.memory = memory;
    this.memcgLrus = memcgLrus;
    this.walks = new ReclaimWalks(memory.nrNodes);
    this.shrink = new ShrinkLruvec(memory, aging, caps, eviction, target, this.walks);
    this.node = new ShrinkNode(memory, memcgLrus, this.shrink, target, this.walks);
    this.aging = new AgeNode(memory, this.shrink, target, () => sysfs.minTtlJiffies);
  }

  /** lru_gen_shrink_lruvec(): one memcg's turn in the reclaim of a memcg (SHR-05). */
  shrinkLruvec(lruvec: Lruvec, sc: ScanControl): void {
    this.memory.batches.drain(sc.task.cpu);
    this.walks.begin(sc, lruvec.node);
    if (this.shrink.tryToShrink(lruvec, sc)) {
      (this.memcgLrus[lruvec.node] as MemcgLru).rotate(lruvec, MEMCG_LRU_YOUNG);
    }
    this.walks.end(sc);
  }
}
