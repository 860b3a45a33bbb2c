import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_ACCESSED,
  type FolioTable,
  type Memory,
  PG_ACTIVE,
  PG_LRU,
  PG_REFERENCED,
  PG_WORKINGSET,
  PG_YOUNG,
} from "@lrugen/mm-core";
import type { FolioAdvice } from "./folio-walk.ts";

/**
 * MADV_COLD: forgets that a folio was accessed and deactivates it.
 * Source: REF-21, REF-22; mm/madvise.c:madvise_cold_or_pageout_pte_range.
 */
export class ColdAdvice implements FolioAdvice {
  private readonly memory: Memory;
  private readonly cpu: Cpu;

  constructor(memory: Memory, cpu: Cpu) {
    this.memory = memory;
    this.cpu = cpu;
  }

  leaf(folio: number, slot: number): void {
    this.memory.pageTables.entries[slot]! &= ~ENTRY_ACCESSED;
    this.deactivate(folio);
  }

  /** Folios off the LRU and those that anyone else maps are left alone. */
  ptes(folio: number, slot: number, count: number): void {
    const { folios, pageTables } = this.memory;
    if (((folios.flags[folio] as number) & PG_LRU) === 0) return;
    if (folios.mapcountOf(folio) !== count) return;
    for (let i = slot; i < slot + count; i++) pageTables.entries[i]! &= ~ENTRY_ACCESSED;
    this.deactivate(folio);
  }

  /** What is out is as cold as can be. */
  swapEntry(): void {}

  pmdDone(): void {}

  private deactivate(folio: number): void {
    forgetAccess(this.memory.folios, folio);
    this.memory.batches.deactivate(this.cpu, folio);
  }
}

/** A folio was not accessed, for all that its flags tell (REF-22). */
export function forgetAccess(folios: FolioTable, folio: number): void {
  const { flags } = folios;
  flags[folio]! &= ~(PG_REFERENCED | PG_YOUNG);
  if ((flags[folio] as number) & PG_ACTIVE) flags[folio]! |= PG_WORKINGSET;
}
