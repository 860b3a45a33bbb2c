import type { FolioReclaimer, Memcg, Memory, ScanControl, Task } from "@lrugen/mm-core";
import type { MemcgOom } from "../charge/memcg-oom.ts";
import type { SwapCache } from "../swap/swap-cache.ts";
import type { Flusher } from "../writeback/flusher.ts";
import type { FolioReclaim } from "./folio-reclaim.ts";
import type { Watermarks } from "./watermarks.ts";

/** Pages above the high watermark with which kswapd stops: MIN_LRU_BATCH. */
const SPARE = 64;
/** SHRINK_BATCH: objects a shrinker looks at in one go. */
const SHRINK_BATCH = 128;
/** Each object costs two I/Os to get back (DEFAULT_SEEKS): a priority frees four times as many as 1 in 2. */
const DELTA_FACTOR = 4;
const DEFAULT_SEEKS = 2;

/** What the reclaimer stands on. */
export interface ReclaimerParts {
  readonly folios: FolioReclaim;
  readonly swap: SwapCache;
  readonly marks: Watermarks;
  readonly oom: MemcgOom;
  readonly flusher: Flusher;
}

/**
 * What page-replacement policies ask of the rest of reclaim.
 * Source: SFL-01..SFL-24, SPLIT-06, STOP-01, TTL-04; mm/vmscan.c, mm/shrinker.c.
 */
export class Reclaimer implements FolioReclaimer {
  private readonly memory: Memory;
  private readonly parts: ReclaimerParts;

  constructor(memory: Memory, parts: ReclaimerParts) {
    this.memory = memory;
    this.parts = parts;
  }

  shrinkFolioList(sc: ScanControl, list: number, ignoreReferences: boolean): number {
    return this.parts.folios.shrinkList.shrink(sc, list, ignoreReferences);
  }

  freeSwapPages(memcg: Memcg | null = null): number {
    return this.parts.swap.freePages(memcg);
  }

  isBalanced(node: number, reclaimIdx: number): boolean {
    return this.parts.marks.hasSpare(node, reclaimIdx, SPARE);
  }

  /**
   * do_shrink_slab() of the deferred split queue, the one shrinker that there is. Objects that the
   * priority wants but the batch does not reach yet are not remembered.
   */
  shrinkSlab(sc: ScanControl, node: number, memcg: Memcg): void {
    const { deferredSplit } = this.parts.folios;
    const queued = deferredSplit.count(memcg, node);
    if (queued === 0) return;
    const delta = Math.floor(((queued >>> sc.priority) * DELTA_FACTOR) / DEFAULT_SEEKS);
    for (let total = Math.min(delta, queued * 2); total >= SHRINK_BATCH || total >= queued;) {
      const nr = Math.min(SHRINK_BATCH, total);
      if (nr === 0 || deferredSplit.scan(sc.task.cpu, memcg, node, nr) < 0) return;
      total -= nr;
    }
  }

  outOfMemory(task: Task): void {
    this.parts.oom.kill(task, this.memory.root);
  }

  wakeFlushers(): void {
    this.parts.flusher.wake();
  }

  isEvictable(folio: number): boolean {
    return this.memory.putback.isEvictable(folio);
  }
}
