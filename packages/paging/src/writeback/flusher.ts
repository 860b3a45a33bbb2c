import type { Cpu } from "@lrugen/hardware";
import { JIFFY_MS, type Memory } from "@lrugen/mm-core";
import type { Writeback } from "./writeback.ts";

/** What vm.dirty_* says. */
export interface FlusherConfig {
  /** Milliseconds between two periodic runs; 0 = it only runs when woken, as in the reference guest. */
  dirtyWritebackMs: number;
  /** A periodic run leaves files alone that became dirty less than this ago. */
  dirtyExpireMs: number;
}

/**
 * The thread that writes dirty files back. It runs at fixed points only: whoever lets time pass calls
 * run() afterwards, and what was to be written is then written.
 * Source: fs/fs-writeback.c:wb_workfn, wakeup_flusher_threads.
 */
export class Flusher {
  /** May be changed at any time. */
  readonly config: FlusherConfig = { dirtyWritebackMs: 0, dirtyExpireMs: 3_600_000 };
  private readonly memory: Memory;
  private readonly writeback: Writeback;
  private woken = false;
  private lastRun = 0;

  constructor(memory: Memory, writeback: Writeback) {
    this.memory = memory;
    this.writeback = writeback;
  }

  /** wakeup_flusher_threads(): reclaim met dirty folios; the next run writes all files. */
  wake(): void {
    this.woken = true;
  }

  /**
   * Does what is due now: all dirty files after wake(), those dirty for long when the period is over.
   * @param cpu where the thread runs, and so where rotated folios queue
   * @returns pages written
   */
  run(cpu: Cpu): number {
    const now = this.memory.clock.jiffies;
    const { dirtyWritebackMs, dirtyExpireMs } = this.config;
    const periodic = dirtyWritebackMs > 0 && (now - this.lastRun) * JIFFY_MS >= dirtyWritebackMs;
    if (periodic) this.lastRun = now;
    const all = this.woken;
    this.woken = false;
    let written = 0;
    for (const file of this.memory.files) {
      if (file === null || file.dirtyPages === 0) continue;
      const expired = periodic && (now - file.dirtiedAt) * JIFFY_MS >= dirtyExpireMs;
      if (all || expired) written += this.writeback.file(cpu, file);
    }
    return written;
  }
}
