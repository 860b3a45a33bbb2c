import { DEF_PRIORITY, type Memory, ScanControl, type Task } from "@lrugen/mm-core";
import type { MemcgOom } from "../charge/memcg-oom.ts";
import type { Shrink } from "./shrink.ts";
import type { Watermarks } from "./watermarks.ts";

/** MAX_RECLAIM_RETRIES: fruitless runs after which it gives up until direct reclaim gets something. */
const MAX_FAILURES = 16;

/**
 * The reclaim thread of one node. It is a task of its own; woken, it runs until the node is balanced
 * before the one who woke it goes on.
 * Source: CLS-06, SHR-07, TTL-01; mm/vmscan.c:balance_pgdat.
 */
export class Kswapd {
  /** Who reclaims: no address space. */
  readonly task: Task;
  private readonly node: number;
  private readonly shrink: Shrink;
  private readonly marks: Watermarks;
  private readonly oom: MemcgOom;
  private failures = 0;
  private isRunning = false;

  constructor(
    memory: Memory,
    node: number,
    task: Task,
    shrink: Shrink,
    marks: Watermarks,
    oom: MemcgOom,
  ) {
    this.oom = oom;
    this.node = node;
    this.task = task;
    this.shrink = shrink;
    this.marks = marks;
    if (node >= memory.nrNodes) throw new RangeError(`kswapd of node ${node}: no such node`);
  }

  /** wakeup_kswapd(): balances the node for an allocation of `order`. */
  wake(order: number): void {
    if (this.isRunning || this.failures >= MAX_FAILURES) return;
    this.isRunning = true;
    this.task.reclaiming = true;
    while (this.failures < MAX_FAILURES && !this.marks.isBalanced(this.node, order)) {
      if (!this.balance(order)) break;
    }
    this.task.reclaiming = false;
    this.isRunning = false;
  }

  /** Direct reclaim has got something: there is hope again. */
  revive(): void {
    this.failures = 0;
  }

  /** balance_pgdat(). @returns false = it is no use to go on: nobody evicts, or a victim is dying */
  private balance(order: number): boolean {
    const { policy } = this.shrink;
    if (policy === null) return false;
    const nrToReclaim = this.marks.kswapdTarget(this.node);
    const sc = new ScanControl(this.task, { nrToReclaim, order, kswapd: true });
    sc.priority = DEF_PRIORITY;
    let total = 0;
    do {
      if (this.marks.isBalanced(this.node, order)) break;
      sc.nrReclaimed = 0;
      sc.nrScanned = 0;
      policy.ageNode(this.node, sc);
      // Whoever was killed runs next, and gives more than this round would find.
      if (this.oom.hasVictim) return false;
      sc.nrToReclaim = nrToReclaim;
      this.shrink.node(policy, this.node, sc);
      total += sc.nrReclaimed;
      const enough = Math.max(sc.nrScanned, sc.nrReclaimed) >= nrToReclaim;
      if (!enough || sc.nrReclaimed === 0) sc.priority -= 1;
    } while (sc.priority >= 1);
    if (total === 0) this.failures += 1;
    else this.failures = 0;
    return true;
  }
}
