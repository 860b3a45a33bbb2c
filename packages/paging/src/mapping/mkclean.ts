import {
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_SHIFT,
  ENTRY_WRITE,
  type FileMapping,
  type Memory,
  NO_ENTRY,
  VM_SHARED,
  type Vma,
} from "@lrugen/mm-core";
import { slotIn } from "../page-table/slot.ts";
import { invalidateEnd, invalidateStart } from "./notify.ts";

const WRITTEN = ENTRY_WRITE | ENTRY_DIRTY;

/**
 * Makes every entry that maps a folio of a file clean and read-only, as writing the folio back begins:
 * the next write to it is a fault, which the file hears of. Accessed bits stay. Private mappings have
 * no writable entries.
 * Source: mm/rmap.c:folio_mkclean, page_vma_mkclean_one.
 */
export class FolioMkclean {
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** Does so for a cached folio of the file, wherever it is mapped. */
  clean(file: FileMapping, folio: number): void {
    const { folios } = this.memory;
    if (folios.mapcountOf(folio) === 0) return;
    const first = folios.index[folio] as number;
    const end = first + folios.nrPagesOf(folio);
    for (const vma of file.vmas) {
      if ((vma.flags & VM_SHARED) === 0) continue;
      const start = Math.max(vma.start, vma.start + (first - vma.pgoff));
      const stop = Math.min(vma.end, vma.start + (end - vma.pgoff));
      if (start >= stop) continue;
      invalidateStart(vma.mm, start, stop);
      this.cleanRange(vma, start, stop);
      invalidateEnd(vma.mm, start, stop);
    }
  }

  private cleanRange(vma: Vma, start: number, end: number): void {
    const { pageTables } = this.memory;
    const { entries } = pageTables;
    for (let vpn = start; vpn < end; vpn++) {
      const pmdSlot = pageTables.pmdSlot(vma.mm.pgd, vpn);
      if (pmdSlot === NO_ENTRY || entries[pmdSlot] === 0) continue;
      const pmd = entries[pmdSlot] as number;
      const slot = pmd & ENTRY_LEAF ? pmdSlot : slotIn(pmd >>> ENTRY_SHIFT, vpn);
      entries[slot]! &= ~WRITTEN;
    }
  }
}
