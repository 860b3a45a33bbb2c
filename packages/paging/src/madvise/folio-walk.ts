import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type Memory,
  NIL,
  type Vma,
} from "@lrugen/mm-core";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { walkPmds } from "../page-table/pmd-walk.ts";
import { pteBatch } from "../page-table/pte-batch.ts";
import { slotIn } from "../page-table/slot.ts";
import type { SplitFolio } from "../split/split-folio.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";

/** What an advice does to each folio of its range. */
export interface FolioAdvice {
  /** A folio mapped by the PMD leaf at `slot`, and by no other address space. */
  leaf(folio: number, slot: number): void;
  /** A folio mapped by `count` PTEs from `slot`: all of its pages. */
  ptes(folio: number, slot: number, count: number): void;
  /** A page that is swapped out, by the PTE at `slot`. */
  swapEntry(slot: number): void;
  /** All below one PMD entry has been visited. */
  pmdDone(): void;
}

/**
 * The way of MADV_COLD, MADV_PAGEOUT and MADV_FREE through a range: large folios that others may map
 * too are left alone, unless they are PTE-mapped whole. One that lies only partly in the range is split,
 * and left alone when that fails.
 * Source: REF-22, REF-24; mm/madvise.c:madvise_cold_or_pageout_pte_range, madvise_free_pte_range.
 */
export class FolioWalk {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;
  private readonly splitFolio: SplitFolio;

  constructor(memory: Memory, maps: FolioMaps, splitFolio: SplitFolio) {
    this.memory = memory;
    this.maps = maps;
    this.splitFolio = splitFolio;
  }

  /** Gives the folios of pages [start, end) of a VMA the advice, in address order. */
  walk(cpu: Cpu, vma: Vma, start: number, end: number, advice: FolioAdvice): void {
    const { pageTables } = this.memory;
    walkPmds(pageTables, vma.mm.pgd, start, end, (pmdSlot, from, to) => {
      const whole = to - from === PAGES_PER_PMD;
      if (!this.passLeaf(cpu, pmdSlot, whole, advice)) {
        const first = slotIn((pageTables.entries[pmdSlot] as number) >>> ENTRY_SHIFT, from);
        this.walkPtes(cpu, first, first + to - from, advice);
      }
      advice.pmdDone();
    });
  }

  /** @returns false = there is a table of PTEs below the PMD entry, perhaps only now */
  private passLeaf(cpu: Cpu, pmdSlot: number, whole: boolean, advice: FolioAdvice): boolean {
    const { entries } = this.memory.pageTables;
    const pmd = entries[pmdSlot] as number;
    if ((pmd & ENTRY_LEAF) === 0) return false;
    const folio = pmd >>> ENTRY_SHIFT;
    if (pmd & ENTRY_SPECIAL || this.maps.maybeShared(folio)) return true;
    if (whole) {
      advice.leaf(folio, pmdSlot);
      return true;
    }
    if (!this.split(cpu, folio)) return true;
    // A split takes the leaf of a file away altogether.
    return entries[pmdSlot] === 0;
  }

  private walkPtes(cpu: Cpu, first: number, end: number, advice: FolioAdvice): void {
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
      else if (!this.maps.maybeShared(folio) && this.split(cpu, folio)) {
        slot -= 1;
        continue;
      }
      slot += count - 1;
    }
  }

  /** @returns whether the folio is single pages now */
  private split(cpu: Cpu, folio: number): boolean {
    this.memory.folios.refcount[folio]! += 1;
    const error = this.splitFolio.split(cpu, folio, NIL);
    this.memory.release.put(cpu, folio);
    return error === 0;
  }
}
