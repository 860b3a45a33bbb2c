import {
  calculateProtection,
  isBelowLow,
  isBelowMin,
  type Memcg,
  MEMCG_LOW,
  type Memory,
  type ReclaimPolicy,
  type ScanControl,
} from "@lrugen/mm-core";
import { MemcgIterator } from "./memcg-iterator.ts";

/**
 * One reclaim from its first priority to its last, over the memcgs of its target.
 * Source: CLS-05, CLS-08, SHR-04, SHR-05; mm/vmscan.c:do_try_to_free_pages, shrink_node.
 */
export class Shrink {
  readonly iterator: MemcgIterator = new MemcgIterator();
  /** Mount option memory_recursiveprot of the cgroup file system; on where systemd mounts it. */
  recursiveProtection = false;
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /**
   * do_try_to_free_pages(): priority 12 down to 0 until enough is reclaimed; when nothing was, once
   * more over all memcgs, and once more over those that memory.low protects.
   * @returns pages reclaimed
   */
  tryToFree(sc: ScanControl): number {
    const { policy } = this;
    if (policy === null) return 0;
    const initial = sc.priority;
    const before = sc.task.reclaiming;
    sc.task.reclaiming = true;
    for (;;) {
      this.priorities(policy, sc);
      if (sc.nrReclaimed > 0) break;
      if (!sc.memcgFullWalk) sc.memcgFullWalk = true;
      else if (sc.memcgLowSkipped) {
        sc.memcgLowReclaim = true;
        sc.memcgLowSkipped = false;
      } else break;
      sc.priority = initial;
    }
    sc.task.reclaiming = before;
    return sc.nrReclaimed;
  }

  /** shrink_node() (SHR-04, CLS-08). */
  node(policy: ReclaimPolicy, node: number, sc: ScanControl): void {
    if (sc.isRootReclaim) policy.shrinkNode(node, sc);
    else this.memcgs(policy, node, sc);
  }

  /** Who evicts; null = nobody, as in a machine under construction. */
  get policy(): ReclaimPolicy | null {
    return this.memory.lru.reclaim;
  }

  private priorities(policy: ReclaimPolicy, sc: ScanControl): void {
    for (let priority = sc.priority; priority >= 0; priority--) {
      sc.priority = priority;
      sc.nrScanned = 0;
      for (let node = 0; node < this.memory.nrNodes; node++) this.node(policy, node, sc);
      if (sc.nrReclaimed >= sc.nrToReclaim) return;
      // The policy may have raised it (SHR-03).
      priority = sc.priority;
    }
  }

  /** shrink_node_memcgs(). */
  private memcgs(policy: ReclaimPolicy, node: number, sc: ScanControl): void {
    const target = sc.targetMemcg as Memcg;
    const partial = !sc.kswapd && !sc.memcgFullWalk;
    const walk = partial ? this.iterator.partial(target, node) : this.iterator.all(target);
    for (const memcg of walk) {
      calculateProtection(target, memcg, this.recursiveProtection);
      if (isBelowMin(target, memcg)) continue;
      if (isBelowLow(target, memcg)) {
        if (!sc.memcgLowReclaim) {
          sc.memcgLowSkipped = true;
          continue;
        }
        memcg.countEvent(MEMCG_LOW);
      }
      policy.shrinkLruvec(memcg.lruvecs[node]!, sc);
      this.memory.reclaimer?.shrinkSlab(sc, node, memcg);
      if (partial && sc.nrReclaimed >= sc.nrToReclaim) return;
    }
  }
}
