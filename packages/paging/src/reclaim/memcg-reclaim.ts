import {
  EAGAIN,
  type Memcg,
  type Memory,
  ScanControl,
  SWAP_CLUSTER_MAX,
  type Task,
} from "@lrugen/mm-core";
import type { Shrink } from "./shrink.ts";

/** MAX_RECLAIM_RETRIES. */
const RETRIES = 16;

/**
 * Reclaim from one memcg and everything below it: for its limits, and because somebody asked.
 * Source: CHG-24, SHR-08; mm/vmscan.c:try_to_free_mem_cgroup_pages, user_proactive_reclaim.
 */
export class MemcgReclaim {
  private readonly memory: Memory;
  private readonly shrink: Shrink;

  constructor(memory: Memory, shrink: Shrink) {
    this.memory = memory;
    this.shrink = shrink;
  }

  /**
   * try_to_free_mem_cgroup_pages() for a limit: at least 32 pages are the goal.
   * @returns pages reclaimed, which may be more than asked for, or 0
   */
  tryToFree(task: Task, memcg: Memcg, pages: number): number {
    const nrToReclaim = Math.max(pages, SWAP_CLUSTER_MAX);
    return this.shrink.tryToFree(new ScanControl(task, { nrToReclaim, targetMemcg: memcg }));
  }

  /**
   * memory.reclaim: a quarter of what is left at a time; the last of 16 retries drains the batches of
   * all CPUs first.
   * @param pages wanted
   * @param swappiness 0..200, 201 = anonymous memory only, null = the system's
   * @returns 0, or −EAGAIN when less was reclaimed
   */
  proactive(task: Task, memcg: Memcg, pages: number, swappiness: number | null): number {
    let retries = RETRIES;
    let got = 0;
    while (got < pages) {
      const batch = Math.max(Math.floor((pages - got) / 4), SWAP_CLUSTER_MAX);
      if (retries === 0) this.memory.batches.drainAll();
      const sc = new ScanControl(task, {
        nrToReclaim: batch,
        targetMemcg: memcg,
        proactive: true,
        swappiness,
      });
      const reclaimed = this.shrink.tryToFree(sc);
      if (reclaimed === 0 && retries-- === 0) return -EAGAIN;
      got += reclaimed;
    }
    return 0;
  }
}
