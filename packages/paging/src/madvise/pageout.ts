import { type Memory, PG_LRU, type Task } from "@lrugen/mm-core";
import type { ReclaimFolios } from "../reclaim/reclaim-folios.ts";
import { forgetAccess } from "./cold.ts";
import type { FolioAdvice } from "./folio-walk.ts";

/**
 * MADV_PAGEOUT: reclaims folios, accessed or not.
 * Source: REF-22, DEL-04; mm/madvise.c:madvise_cold_or_pageout_pte_range.
 */
export class PageoutAdvice implements FolioAdvice {
  private readonly memory: Memory;
  private readonly task: Task;
  private readonly reclaim: ReclaimFolios;

  constructor(memory: Memory, task: Task, reclaim: ReclaimFolios) {
    this.memory = memory;
    this.task = task;
    this.reclaim = reclaim;
  }

  leaf(folio: number): void {
    this.pick(folio);
  }

  /** Folios off the LRU and those that anyone else maps are left alone. */
  ptes(folio: number, _slot: number, count: number): void {
    const { folios } = this.memory;
    if (((folios.flags[folio] as number) & PG_LRU) === 0) return;
    if (folios.mapcountOf(folio) === count) this.pick(folio);
  }

  /** It is out already. */
  swapEntry(): void {}

  pmdDone(): void {
    this.reclaim.reclaim(this.task);
  }

  private pick(folio: number): void {
    forgetAccess(this.memory.folios, folio);
    this.reclaim.pick(this.task, folio);
  }
}
