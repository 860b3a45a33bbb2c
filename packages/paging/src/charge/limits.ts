import { type Memcg, MEMCG_OOM, type Task } from "@lrugen/mm-core";
import type { Charge } from "./charge.ts";

/** MAX_RECLAIM_RETRIES. */
const RETRIES = 16;

/**
 * Writing the limits of a memcg: what is above a new limit is reclaimed at once, in the name of the
 * writer. Pages; Infinity = no limit.
 * Source: CHG-34; mm/memcontrol.c:memory_high_write, memory_max_write.
 */
export class MemcgLimits {
  private readonly charge: Charge;

  constructor(charge: Charge) {
    this.charge = charge;
  }

  /** memory.max: what cannot be reclaimed in 16 fruitless attempts is killed for. */
  setMax(task: Task, memcg: Memcg, pages: number): void {
    const { memory } = memcg;
    memory.max = pages;
    let drained = false;
    let retries = RETRIES;
    while (memory.usage > pages) {
      if (!drained) {
        this.charge.drainAll(memcg);
        drained = true;
      } else if (retries > 0) {
        const got = this.charge.reclaim.memcgs.tryToFree(task, memcg, memory.usage - pages);
        if (got === 0) retries -= 1;
      } else {
        memcg.countEvent(MEMCG_OOM);
        if (!this.charge.oom.kill(task, memcg)) return;
        // Stocks of the dead; and nothing more to gain while they still run.
        const before = memory.usage;
        this.charge.drainAll(memcg);
        if (memory.usage === before && memory.usage > pages && !this.isShrinking(memcg)) return;
      }
    }
  }

  /** memory.high: gives up after 17 fruitless attempts. */
  setHigh(task: Task, memcg: Memcg, pages: number): void {
    const { memory } = memcg;
    memory.high = pages;
    let drained = false;
    let retries = RETRIES;
    while (memory.usage > pages) {
      if (!drained) {
        this.charge.drainAll(memcg);
        drained = true;
        continue;
      }
      const got = this.charge.reclaim.memcgs.tryToFree(task, memcg, memory.usage - pages);
      if (got === 0 && retries-- === 0) return;
    }
  }

  /** Whether somebody is left to kill who is not dying yet. */
  private isShrinking(memcg: Memcg): boolean {
    for (const each of memcg.preOrder()) {
      for (const mm of each.mmList.walk()) if (!mm.oomVictim) return true;
    }
    return false;
  }
}
