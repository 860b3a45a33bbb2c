// @hot
import {
  ENTRY_SHIFT,
  type FileMapping,
  type FolioTable,
  type Memory,
  NIL,
  type PageCache,
  PG_RECLAIM,
  PG_UPTODATE,
  PG_WORKINGSET,
  type Task,
  VM_NOHUGEPAGE,
  type Vma,
} from "@lrugen/mm-core";
import { type KernelMemory, NO_TABLE } from "../charge/kernel-memory.ts";
import type { FilePtes } from "../mapping/file-ptes.ts";
import { slotIn } from "../page-table/slot.ts";
import { PAGES_PER_PMD, PMD_ORDER } from "../thp/thp-config.ts";
import { filePageAt, openFileOf } from "../vma/file-vmas.ts";

const TABLE_REFUSED = NO_TABLE;
const SHIFT = ENTRY_SHIFT;
const NONE = NIL;
const HUGE_ORDER = PMD_ORDER;
const TABLE_ENTRIES = PAGES_PER_PMD;
const NO_HUGE = VM_NOHUGEPAGE;
const WORKINGSET = PG_WORKINGSET;
/** PG_reclaim on a page-cache folio is the readahead mark. */
const MAPPABLE = PG_UPTODATE | PG_RECLAIM;
const UPTODATE = PG_UPTODATE;
/** fault_around_bytes, 64 KiB. */
const WINDOW = 16;

/**
 * What a read fault of a file mapping maps without asking the file: what is cached around it. Folios
 * that carry the readahead mark are left out, so that touching them is noticed.
 * Source: FIO-21, FLT-20, FLT-22, FLT-24; mm/memory.c:do_fault_around, mm/filemap.c:filemap_map_pages.
 */
export class FaultAround {
  private readonly kernel: KernelMemory;
  private readonly entries: Int32Array;
  private readonly folios: FolioTable;
  private readonly cache: PageCache;
  private readonly ptes: FilePtes;

  constructor(memory: Memory, ptes: FilePtes, kernel: KernelMemory) {
    this.kernel = kernel;
    this.entries = memory.pageTables.entries;
    this.folios = memory.folios;
    this.cache = memory.pageCache;
    this.ptes = ptes;
  }

  /**
   * Maps the cached pages of the window around `vpn`: 16 PTEs, inside the VMA and the table. A large
   * folio is mapped whole, also beyond the window, where it fits the VMA and the table; one of 2 MiB
   * by the PMD entry, if that is empty. Without anything to map no table is made, and without a table
   * nothing is mapped where the file's last folio comes first (seen on 7.3.4).
   * @param pmdSlot of the PMD entry of `vpn`: empty, or a table whose PTE is
   * @param tried the fault was taken before: it does not count against the misses of the mapping
   * @returns whether `vpn` is mapped now
   */
  map(task: Task, vma: Vma, vpn: number, pmdSlot: number, tried: boolean): boolean {
    const openFile = openFileOf(vma);
    const { mapping: file } = openFile;
    const at = (vpn % TABLE_ENTRIES) | 0;
    const first = Math.max(at - (at % WINDOW), at - (vpn - vma.start));
    const last = Math.min(first + WINDOW, TABLE_ENTRIES, at + (vma.end - vpn));
    const index = filePageAt(vma, vpn);
    const end = Math.min(index + (last - at), file.pages);
    let page = this.nextMappable(file, index - (at - first), end);
    if (page >= end) return false;
    if (this.entries[pmdSlot] === 0) {
      // The table is put in by what maps a PMD, which the file's last folio is kept from.
      if (!this.endsInside(file, this.cache.lookup(file, page))) return false;
      if (this.mapPmd(task, vma, vpn, pmdSlot)) return true;
    }
    const table = this.kernel.tableBelow(task, vma.mm, pmdSlot);
    if (table === TABLE_REFUSED) return false;
    // Charging may have reclaimed what was found.
    page = this.nextMappable(file, index - (at - first), end);
    const slot = slotIn(table, vpn);
    while (page < end) {
      const folio = this.cache.lookup(file, page);
      const next = (this.folios.index[folio] as number) + this.folios.nrPagesOf(folio);
      this.mapFolio(task, vma, folio, page, Math.min(next, end), slot + ((page - index) | 0));
      page = this.nextMappable(file, next, end);
    }
    const entry = this.entries[slot] as number;
    if (entry === 0) return false;
    const folio = this.folios.folioOf(entry >>> SHIFT);
    const refaults = ((this.folios.flags[folio] as number) & WORKINGSET) !== 0;
    if (!tried && !refaults && openFile.mmapMiss > 0) openFile.mmapMiss -= 1;
    return true;
  }

  /** thp_vma_suitable_order() for a folio found at page `index` of the file. */
  fitsPmd(vma: Vma, vpn: number, index: number, folio: number): boolean {
    if (!this.folios.isLarge(folio) || this.folios.order[folio] !== HUGE_ORDER) return false;
    if (vma.flags & NO_HUGE) return false;
    const first = vpn - (index - (this.folios.index[folio] as number));
    if (first % TABLE_ENTRIES !== 0) return false;
    return first >= vma.start && first + TABLE_ENTRIES <= vma.end;
  }

  /** filemap_map_pmd(): maps the folio of 2 MiB that caches the page, if there is one and it fits. */
  private mapPmd(task: Task, vma: Vma, vpn: number, pmdSlot: number): boolean {
    const { mapping: file } = openFileOf(vma);
    const index = filePageAt(vma, vpn);
    const folio = this.cache.lookup(file, index);
    if (folio === NONE || !this.isMappable(folio) || !this.endsInside(file, folio)) return false;
    if (!this.fitsPmd(vma, vpn, index, folio)) return false;
    this.ptes.setPmd(task.cpu, vma, folio, pmdSlot, false);
    return true;
  }

  /** next_uptodate_folio(): the first page of [from, end) that can be mapped; `end` or more when none. */
  private nextMappable(file: FileMapping, from: number, end: number): number {
    let page = from;
    while (page < end) {
      page = this.cache.nextCached(file, page, end);
      if (page >= end) break;
      const folio = this.cache.lookup(file, page);
      if (this.isMappable(folio)) return page;
      page = (this.folios.index[folio] as number) + this.folios.nrPagesOf(folio);
    }
    return end;
  }

  /**
   * filemap_map_folio_range(): pages [page, end) of the file, or all of the folio, by the PTEs that
   * are still empty.
   * @param slot of the PTE of `page`
   */
  private mapFolio(
    task: Task,
    vma: Vma,
    folio: number,
    page: number,
    end: number,
    slot: number,
  ): void {
    const { entries, folios } = this;
    // Offsets within a folio: small, whatever the index is.
    const inFolio = (page - (folios.index[folio] as number)) | 0;
    let before = inFolio;
    let count = (end - page) | 0;
    const pages = folios.nrPagesOf(folio);
    if (count < pages && this.fitsWhole(vma, folio, pages, slot - before)) count = pages;
    else before = 0;
    const first = slot - before;
    const pfn = folio + inFolio - before;
    for (let i = 0; i < count;) {
      const from = i;
      while (i < count && entries[first + i] === 0) i += 1;
      if (i > from) this.ptes.set(task.cpu, vma, folio, pfn + from, first + from, i - from, false);
      i += 1;
    }
  }

  /** Whether all of a folio can be mapped by the PTEs from `first` on. */
  private fitsWhole(vma: Vma, folio: number, pages: number, first: number): boolean {
    const { folios } = this;
    const index = folios.index[folio] as number;
    const file = openFileOf(vma).mapping;
    if (!this.endsInside(file, folio)) return false;
    if (index < vma.pgoff || index + pages > vma.pgoff + (vma.end - vma.start)) return false;
    const table = Math.floor(first / TABLE_ENTRIES);
    return table === Math.floor((first + pages - 1) / TABLE_ENTRIES) && first >= 0;
  }

  /**
   * Whether a folio ends before the last page of its file; shared memory does not ask. (The kernel
   * compares with the last page, not with the end: seen on 7.3.4, where the last folio of a file is
   * never mapped beyond the window.)
   */
  private endsInside(file: FileMapping, folio: number): boolean {
    const end = (this.folios.index[folio] as number) + this.folios.nrPagesOf(folio);
    return file.shmem || end <= file.pages - 1;
  }

  private isMappable(folio: number): boolean {
    return ((this.folios.flags[folio] as number) & MAPPABLE) === UPTODATE;
  }
}
