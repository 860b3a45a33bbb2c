import { type Memory, NIL, ScanControl, SWAP_CLUSTER_MAX, Task } from "@lrugen/mm-core";
import { CHARGE_FULL, CHARGE_NOWAIT } from "../charge/charge-kind.ts";
import type { MemcgOom } from "../charge/memcg-oom.ts";
import { Kswapd } from "./kswapd.ts";
import { MemcgReclaim } from "./memcg-reclaim.ts";
import { Shrink } from "./shrink.ts";
import { Watermarks } from "./watermarks.ts";

/** MAX_RECLAIM_RETRIES. */
const RETRIES = 16;
/** PAGE_ALLOC_COSTLY_ORDER: above it an allocation rather fails. */
const COSTLY_ORDER = 3;

/**
 * Where page frames come from when they are short: kswapd, direct reclaim, the OOM killer.
 * Source: CLS-07, SHR-07; mm/page_alloc.c:__alloc_pages_slowpath, mm/vmscan.c:try_to_free_pages.
 */
export class DirectReclaim {
  /** Reclaim from single memcgs. */
  readonly memcgs: MemcgReclaim;
  readonly marks: Watermarks;
  readonly shrink: Shrink;
  /** One a node. */
  readonly kswapds: readonly Kswapd[];
  private readonly memory: Memory;
  private readonly oom: MemcgOom;

  constructor(memory: Memory, oom: MemcgOom) {
    this.memory = memory;
    this.oom = oom;
    this.marks = new Watermarks(memory.allocator);
    this.shrink = new Shrink(memory);
    this.memcgs = new MemcgReclaim(memory, this.shrink);
    // The last CPU, so that with more than one kswapd does not run where the work is done.
    const cpu = memory.hw.cpus.at(-1)!;
    this.kswapds = Array.from(
      { length: memory.nrNodes },
      (_, node) => new Kswapd(memory, node, new Task(cpu, null), this.shrink, this.marks, oom),
    );
  }

  /**
   * __alloc_pages(): frames, not charged yet.
   * @param kind CHARGE_*
   * @returns the first frame, or NIL
   */
  allocPages(task: Task, order: number, kind: number): number {
    const { allocator } = this.memory;
    if (task.reclaiming || this.shrinkless) return allocator.alloc(order);
    const frame = allocator.alloc(order, this.marks.low);
    return frame === NIL ? this.allocSlowly(task, order, kind) : frame;
  }

  private get shrinkless(): boolean {
    return this.memory.lru.reclaim === null;
  }

  /** __alloc_pages_slowpath(). */
  private allocSlowly(task: Task, order: number, kind: number): number {
    const { allocator } = this.memory;
    this.wakeKswapds(task, order);
    let frame = allocator.alloc(order, this.marks.min);
    if (frame !== NIL || kind === CHARGE_NOWAIT) return frame;
    for (let retries = RETRIES; ;) {
      const got = this.direct(task, order);
      frame = allocator.alloc(order, this.marks.min);
      if (frame !== NIL) return frame;
      if (kind !== CHARGE_FULL || order > COSTLY_ORDER) return NIL;
      if (got > 0) retries = RETRIES;
      else if (retries-- <= 0) {
        // A dying task gets what is left, to get out (oom_reserves).
        if (task.mm?.oomVictim === true) return allocator.alloc(order);
        if (!this.oom.kill(task, this.memory.root)) return NIL;
        retries = RETRIES;
      }
    }
  }

  /** wake_all_kswapds(): they run now, and then the CPU switches back to the task (CSW-10). */
  private wakeKswapds(task: Task, order: number): void {
    for (const kswapd of this.kswapds) kswapd.wake(order);
    if (task.mm !== null) this.memory.lru.mglru.useMm(task.mm);
  }

  /** try_to_free_pages(). */
  private direct(task: Task, order: number): number {
    const sc = new ScanControl(task, { nrToReclaim: SWAP_CLUSTER_MAX, order });
    const got = this.shrink.tryToFree(sc);
    if (got > 0) for (const kswapd of this.kswapds) kswapd.revive();
    return got;
  }
}
