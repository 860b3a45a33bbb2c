// @hot
import {
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type FolioMapping,
  type FolioTable,
  type Memory,
  type Mm,
  NO_ENTRY,
  type PageTables,
  type Vma,
} from "@lrugen/mm-core";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";

const LEAF = ENTRY_LEAF;
const MAPS = ENTRY_PRESENT | ENTRY_SPECIAL;
const PRESENT = ENTRY_PRESENT;
const SHIFT = ENTRY_SHIFT;
const NONE = NO_ENTRY;
const PMD_PAGES = PAGES_PER_PMD;
const NO_VMAS: readonly Vma[] = [];

/**
 * The entries of one VMA that map a folio, one after the other in ascending address order. It is its own
 * result: after next() its fields describe the entry found.
 * Source: RMAP-01, RMAP-04; mm/page_vma_mapped.c:page_vma_mapped_walk.
 */
export class MappedWalk implements FolioMapping {
  mm!: Mm;
  vma!: Vma;
  vpn = 0;
  slot = 0;
  pmdSlot = 0;
  nr = 0;
  /** Part of the VMA that the folio's pages belong to, [first, end) in virtual pages. */
  first = 0;
  end = 0;
  /** More than one page table has been looked at. */
  crossedTable = false;
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly pageTables: PageTables;
  private folio = 0;
  private folioEnd = 0;
  /** Where to go on. */
  private at = 0;
  private lastPmdSlot = 0;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
    this.pageTables = memory.pageTables;
  }

  /**
   * rmap_walk(): the VMAs that may map a folio, in the order of the kernel's interval tree; some of them
   * may not reach its pages.
   */
  vmasOf(folio: number): readonly Vma[] {
    const mapping = this.folios.mapping[folio] as number;
    const owner = mapping & 1 ? this.memory.anonVmas.get(mapping >> 1) : this.memory.fileOf(folio);
    if (owner === undefined || owner === null) return NO_VMAS;
    inTreeOrder(owner.vmas);
    return owner.vmas;
  }

  /** Begins a walk of one VMA. @returns false = none of the folio's pages belong there */
  start(folio: number, vma: Vma): boolean {
    const { index, mapping } = this.folios;
    const pages = this.folios.nrPagesOf(folio);
    const anon = ((mapping[folio] as number) & 1) !== 0;
    const base = (index[folio] as number) + (anon ? 0 : vma.start - vma.pgoff);
    this.first = Math.max(base, vma.start);
    this.end = Math.min(base + pages, vma.end);
    if (this.first >= this.end) return false;
    this.vma = vma;
    this.mm = vma.mm;
    this.folio = folio;
    this.folioEnd = folio + pages;
    this.restart();
    return true;
  }

  /** page_vma_mapped_walk_restart(): from the beginning, as a PMD was split. */
  restart(): void {
    this.at = this.first;
    this.crossedTable = false;
    this.lastPmdSlot = NONE;
  }

  /** Finds the next entry: one PTE, or a PMD leaf. @returns false = there is no other */
  next(): boolean {
    const { pageTables, end } = this;
    const { entries } = pageTables;
    while (this.at < end) {
      const pmdSlot = pageTables.pmdSlot(this.mm.pgd, this.at);
      const pmd = pmdSlot === NONE ? 0 : (entries[pmdSlot] as number);
      const stop = Math.min(end, this.at + PMD_PAGES - (this.at % PMD_PAGES));
      if ((pmd & PRESENT) === 0) {
        this.at = stop;
      } else if (pmd & LEAF) {
        if ((pmd & MAPS) === PRESENT && pmd >>> SHIFT === this.folio) {
          return this.found(pmdSlot, pmdSlot, 0, stop);
        }
        this.at = stop;
      } else if (this.findPte(pmdSlot, pmd >>> SHIFT, stop)) {
        return true;
      }
    }
    return false;
  }

  /** Passes over PTEs that were handled together with the last one. */
  skip(count: number): void {
    this.at += count;
  }

  /** PTEs from the last one on that its page table and the VMA still have. */
  get room(): number {
    return Math.min(this.vma.end, this.vpn + PMD_PAGES - (this.vpn % PMD_PAGES)) - this.vpn;
  }

  private findPte(pmdSlot: number, table: number, stop: number): boolean {
    const { entries } = this.pageTables;
    let slot = table * PMD_PAGES + ((this.at % PMD_PAGES) | 0);
    for (; this.at < stop; this.at++, slot++) {
      const entry = entries[slot] as number;
      if ((entry & MAPS) !== PRESENT) continue;
      const pfn = entry >>> SHIFT;
      if (pfn >= this.folio && pfn < this.folioEnd) {
        return this.found(slot, pmdSlot, 1, this.at + 1);
      }
    }
    return false;
  }

  private found(slot: number, pmdSlot: number, nr: number, next: number): true {
    if (this.lastPmdSlot !== NONE && this.lastPmdSlot !== pmdSlot) this.crossedTable = true;
    this.lastPmdSlot = pmdSlot;
    this.vpn = this.at;
    this.slot = slot;
    this.pmdSlot = pmdSlot;
    this.nr = nr;
    this.at = next;
    return true;
  }
}

/**
 * Puts VMAs into ascending order of their first page's offset, those with the same one in order of
 * insertion. Nearly always they are; nothing is allocated.
 */
function inTreeOrder(vmas: Vma[]): void {
  for (let i = 1; i < vmas.length; i++) {
    const vma = vmas[i]!;
    let at = i;
    for (; at > 0 && vmas[at - 1]!.pgoff > vma.pgoff; at--) vmas[at] = vmas[at - 1]!;
    vmas[at] = vma;
  }
}
