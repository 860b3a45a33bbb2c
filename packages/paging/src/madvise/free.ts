import type { Cpu } from "@lrugen/hardware";
import { ENTRY_ACCESSED, ENTRY_DIRTY, type Memory, PG_DIRTY, type Vma } from "@lrugen/mm-core";
import type { SwapCache } from "../swap/swap-cache.ts";
import type { Zap } from "../zap/zap.ts";
import type { FolioAdvice } from "./folio-walk.ts";

/**
 * MADV_FREE: what a page holds may be thrown away, unless it is written to again.
 * Source: REF-24; mm/madvise.c:madvise_free_pte_range, mm/huge_memory.c:madvise_free_huge_pmd.
 */
export class FreeAdvice implements FolioAdvice {
  private readonly memory: Memory;
  private readonly cpu: Cpu;
  private readonly zap: Zap;
  private readonly swapCache: SwapCache;
  private readonly vma: Vma;

  constructor(memory: Memory, cpu: Cpu, zap: Zap, swapCache: SwapCache, vma: Vma) {
    this.memory = memory;
    this.cpu = cpu;
    this.zap = zap;
    this.swapCache = swapCache;
    this.vma = vma;
  }

  leaf(folio: number, slot: number): void {
    this.memory.folios.flags[folio]! &= ~PG_DIRTY;
    this.clean(folio, slot, 1);
  }

  /**
   * A dirty folio, or one in the swap cache, is left alone if anyone else maps it, and the latter also
   * if its slots are needed.
   */
  ptes(folio: number, slot: number, count: number): void {
    const { folios } = this.memory;
    const cached = this.swapCache.has(folio);
    if (cached || (folios.flags[folio] as number) & PG_DIRTY) {
      if (folios.mapcountOf(folio) !== count) return;
      if (cached && !this.swapCache.freeSwap(folio)) return;
      folios.flags[folio]! &= ~PG_DIRTY;
    }
    this.clean(folio, slot, count);
  }

  /** Out and not needed: gone. */
  swapEntry(slot: number): void {
    this.zap.zapSwap(this.cpu, this.vma, slot);
  }

  pmdDone(): void {}

  private clean(folio: number, slot: number, count: number): void {
    const { entries } = this.memory.pageTables;
    for (let i = slot; i < slot + count; i++) entries[i]! &= ~(ENTRY_ACCESSED | ENTRY_DIRTY);
    this.memory.batches.lazyFree(this.cpu, folio);
  }
}
