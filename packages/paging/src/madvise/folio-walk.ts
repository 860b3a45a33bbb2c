import { ENTRY_LEAF, ENTRY_PRESENT, ENTRY_SHIFT, ENTRY_SPECIAL, type Memory, type Vma, NotModelledError } from "@lrugen/mm-core";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { walkPmds } from "../page-table/pmd-walk.ts";
import { pteBatch } from "../page-table/pte-batch.ts";
import { slotIn } from "../page-table/slot.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";

/** What an advice does to each folio of its range. */
export interface FolioAdvice {
  /** A folio mapped by the PMD leaf at `slot`, and by no other address space. */
  leaf(folio: number, slot: number): void;
  /** A folio mapped by `count` PTEs from `slot`: all of its pages. */
  ptes(folio: number, slot: number, count: number): void;
  /** A page that is swapped out, by the PTE at `slot`. */
  swapEntry(slot: number): void;
}

/**
 * The way of MADV_COLD and MADV_FREE through a range: large folios that others may map too are left
 * alone, unless they are PTE-mapped whole. One that lies only partly in the range would be split.
 * Source: REF-22, REF-24; mm/madvise.c:madvise_cold_or_pageout_pte_range, madvise_free_pte_range.
 */
export class FolioWalk {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;

  constructor(memory: Memory, maps: FolioMaps) {
    this.memory = memory;
    this.maps = maps;
  }

  /** @throws NotModelledError at a folio that would have to be split; the ones before it are done */
  walk(vma: Vma, start: number, end: number, advice: FolioAdvice): void {
    const { pageTables } = this.memory;
    walkPmds(pageTables, vma.mm.pgd, start, end, (pmdSlot, from, to) => {
      const pmd = pageTables.entries[pmdSlot] as number;
      if ((pmd & ENTRY_LEAF) === 0) {
        const first = slotIn(pmd >>> ENTRY_SHIFT, from);
        this.walkPtes(first, first + to - from, advice);
        return;
      }
      const folio = pmd >>> ENTRY_SHIFT;
      if (pmd & ENTRY_SPECIAL || this.maps.maybeShared(folio)) return;
      if (to - from < PAGES_PER_PMD) refuseSplit();
      advice.leaf(folio, pmdSlot);
    });
  }

  private walkPtes(first: number, end: number, advice: FolioAdvice): void {
    const { folios, pageTables } = this.memory;
    for (let slot = first; slot < end; slot++) {
      const entry = pageTables.entries[slot] as number;
      if (entry === 0 || entry & ENTRY_SPECIAL) continue;
      if ((entry & ENTRY_PRESENT) === 0) {
        advice.swapEntry(slot);
        continue;
      }
      const folio = folios.folioOf(entry >>> ENTRY_SHIFT);
      const count = pteBatch(pageTables, folios, folio, slot, end - slot);
      if (count === folios.nrPagesOf(folio)) advice.ptes(folio, slot, count);
      else if (!this.maps.maybeShared(folio)) refuseSplit();
      slot += count - 1;
    }
  }
}

function refuseSplit(): never {
  throw new NotModelledError("splitting a large folio (madvise over a part of it)");
}
