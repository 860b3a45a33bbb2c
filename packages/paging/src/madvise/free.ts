import type { Cpu } from "@lrugen/hardware";
import { ENTRY_ACCESSED, ENTRY_DIRTY, type Memory, PG_DIRTY } from "@lrugen/mm-core";
import type { FolioAdvice } from "./folio-walk.ts";

/**
 * MADV_FREE: what a page holds may be thrown away, unless it is written to again.
 * Source: REF-24; mm/madvise.c:madvise_free_pte_range, mm/huge_memory.c:madvise_free_huge_pmd.
 */
export class FreeAdvice implements FolioAdvice {
  private readonly memory: Memory;
  private readonly cpu: Cpu;

  constructor(memory: Memory, cpu: Cpu) {
    this.memory = memory;
    this.cpu = cpu;
  }

  leaf(folio: number, slot: number): void {
    this.memory.folios.flags[folio]! &= ~PG_DIRTY;
    this.clean(folio, slot, 1);
  }

  /** A dirty folio that anyone else maps is left alone. */
  ptes(folio: number, slot: number, count: number): void {
    const { folios } = this.memory;
    if ((folios.flags[folio] as number) & PG_DIRTY) {
      if (folios.mapcountOf(folio) !== count) return;
      folios.flags[folio]! &= ~PG_DIRTY;
    }
    this.clean(folio, slot, count);
  }

  private clean(folio: number, slot: number, count: number): void {
    const { entries } = this.memory.pageTables;
    for (let i = slot; i < slot + count; i++) entries[i]! &= ~(ENTRY_ACCESSED | ENTRY_DIRTY);
    this.memory.batches.lazyFree(this.cpu, folio);
  }
}
