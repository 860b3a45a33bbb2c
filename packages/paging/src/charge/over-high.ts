import { JIFFY_MS, type Memcg, MEMCG_HIGH, type Memory, type Task } from "@lrugen/mm-core";
import type { MemcgReclaim } from "../reclaim/memcg-reclaim.ts";
import { MEMCG_CHARGE_BATCH } from "./page-stock.ts";

const HZ: number = 1000 / JIFFY_MS;
/** Least pages of a reclaim (SWAP_CLUSTER_MAX). */
const LEAST = 32;
const RETRIES = 16;
/** MEMCG_DELAY_PRECISION_SHIFT and MEMCG_DELAY_SCALING_SHIFT. */
const PRECISION: number = 2 ** 20;
const SCALING: number = 2 ** 14;
/** MEMCG_MAX_HIGH_DELAY_JIFFIES. */
const MAX_DELAY: number = 2 * HZ;

/**
 * memory.high: tasks that charge above it reclaim, and sleep when that does not help.
 * Source: CHG-30..CHG-33; mm/memcontrol.c:__mem_cgroup_handle_over_high.
 */
export class OverHigh {
  private readonly memory: Memory;
  private readonly reclaim: MemcgReclaim;

  constructor(memory: Memory, reclaim: MemcgReclaim) {
    this.memory = memory;
    this.reclaim = reclaim;
  }

  /**
   * `batch` pages were charged to the counters: noted for later when a level is above its high, or
   * dealt with at once when much has been noted already (CHG-30, CHG-31).
   */
  charged(task: Task, memcg: Memcg, batch: number): void {
    for (let at: Memcg = memcg; at.parent !== null; at = at.parent) {
      if (at.memory.usage <= at.memory.high) continue;
      task.overHigh += batch;
      if (task.overHigh > MEMCG_CHARGE_BATCH && !task.reclaiming) this.handle(task, memcg);
      return;
    }
  }

  /** mem_cgroup_handle_over_high() on the way back to user mode. */
  returnToUser(task: Task): void {
    if (task.overHigh > 0 && task.mm !== null) this.handle(task, task.mm.memcg);
  }

  private handle(task: Task, memcg: Memcg): void {
    const pages = task.overHigh;
    task.overHigh = 0;
    let retries = RETRIES;
    let want = pages;
    for (;;) {
      if (task.mm?.oomVictim === true) return;
      const got = this.reclaimHigh(task, memcg, want);
      const penalty = highDelay(memcg, pages);
      if (penalty <= Math.floor(HZ / 100)) return;
      want = LEAST;
      if (got > 0 || retries-- > 0) continue;
      this.memory.clock.sleep(penalty * JIFFY_MS);
      return;
    }
  }

  /** reclaim_high(): every level above its high. @returns pages reclaimed */
  private reclaimHigh(task: Task, memcg: Memcg, pages: number): number {
    let got = 0;
    for (let at: Memcg = memcg; at.parent !== null; at = at.parent) {
      if (at.memory.usage <= at.memory.high) continue;
      at.countEvent(MEMCG_HIGH);
      got += this.reclaim.tryToFree(task, at, pages);
    }
    return got;
  }
}

/** calculate_high_delay(), in jiffies (CHG-33). */
function highDelay(memcg: Memcg, pages: number): number {
  let overage = 0;
  for (let at: Memcg = memcg; at.parent !== null; at = at.parent) {
    const { usage, high } = at.memory;
    if (usage <= high) continue;
    overage = Math.max(overage, Math.floor(((usage - high) * PRECISION) / Math.max(high, 1)));
  }
  if (overage === 0) return 0;
  const penalty = Math.floor((overage * overage * HZ) / PRECISION / SCALING);
  return Math.min(Math.floor((penalty * pages) / MEMCG_CHARGE_BATCH), MAX_DELAY);
}
