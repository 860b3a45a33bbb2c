// @hot
import {
  type FileMapping,
  type FolioTable,
  type Memory,
  NIL,
  type OpenFile,
  PG_LOCKED,
  PG_RECLAIM,
  PG_WRITEBACK,
  type Task,
  VM_EXEC,
  VM_HUGEPAGE,
  VM_RAND_READ,
  VM_SEQ_READ,
  type Vma,
} from "@lrugen/mm-core";
import { CHARGE_NORETRY } from "../charge/charge-kind.ts";
import { PAGES_PER_PMD, PMD_ORDER } from "../thp/thp-config.ts";
import type { Filemap } from "./filemap.ts";
import { MissSearch } from "./miss-search.ts";
import { alignedOrder, initialWindow, log2, nextWindow } from "./readahead-window.ts";

const NONE = NIL;
const NORETRY = CHARGE_NORETRY;
const LOCKED = PG_LOCKED;
const RECLAIM = PG_RECLAIM;
const WRITEBACK = PG_WRITEBACK;
const EXEC = VM_EXEC;
const HUGEPAGE = VM_HUGEPAGE;
const RAND_READ = VM_RAND_READ;
const SEQ_READ = VM_SEQ_READ;
const HUGE_PAGES = PAGES_PER_PMD;
const HUGE_ORDER = PMD_ORDER;
/** MMAP_LOTSAMISS: with more misses than this, a fault reads its page alone (FLT-24). */
const LOTS_OF_MISSES = 100;
const PAGE_SIZE = 4096;
/** How far a readahead mark lets the order of the next window's folios grow (FIO-16). */
const ORDER_STEP = 2;

/**
 * What is read besides what was asked for: windows of pages that start where a sequence of reads
 * leaves the cache, and grow while it goes on.
 *
 * A window is `raSize` pages from `raStart`. Its last `raAsyncSize` pages are asynchronous: the
 * folio they begin in carries the readahead mark, and touching that one fills the next window.
 *
 * Source: FIO-10..19, FIO-22; mm/readahead.c, mm/filemap.c.
 */
export class Readahead {
  private readonly folios: FolioTable;
  private readonly misses: MissSearch;
  private readonly filemap: Filemap;

  constructor(memory: Memory, filemap: Filemap) {
    this.folios = memory.folios;
    this.misses = new MissSearch(memory.pageCache, memory.folios);
    this.filemap = filemap;
  }

  /**
   * page_cache_sync_ra(): page `index` is not cached, and a read wants it and what follows (FIO-18).
   * @param requested pages from `index` on that the read still wants
   */
  sync(task: Task, openFile: OpenFile, index: number, requested: number): void {
    if (openFile.random) {
      this.force(task, openFile, index, requested);
      return;
    }
    const max = openFile.raPages;
    if (index === 0 || requested > max || follows(openFile, index)) {
      const size = initialWindow(requested, max);
      const asyncSize = size > requested ? size - requested : size >> 1;
      this.open(task, openFile, index, size, asyncSize);
      return;
    }
    const run = this.misses.before(openFile.mapping, index, max);
    if (run <= requested) {
      this.fillPages(task, openFile.mapping, index, index + requested, NONE);
      return;
    }
    const history = run >= index ? run * 2 : run;
    this.open(task, openFile, index, Math.min(history + requested, max), 1);
  }

  /**
   * page_cache_async_ra(): `folio` was touched and carries the readahead mark, which ends here
   * (FIO-17). Nothing happens to a folio without the mark.
   * @param index the folio's first page for read(), the faulting page for a mapping
   * @param requested pages from `index` on that the reader still wants
   */
  async(task: Task, openFile: OpenFile, folio: number, index: number, requested: number): void {
    const { flags } = this.folios;
    if (((flags[folio] as number) & (RECLAIM | WRITEBACK)) !== RECLAIM) return;
    flags[folio]! &= ~RECLAIM;
    const max = openFile.raPages;
    const mark = openFile.raStart + openFile.raSize - openFile.raAsyncSize;
    if (index === mark - (mark % this.folios.nrPagesOf(folio))) {
      openFile.raStart += openFile.raSize;
      openFile.raSize = Math.max(openFile.raSize, nextWindow(openFile.raSize, max));
    } else {
      const hole = this.misses.next(openFile.mapping, index + 1, max);
      if (hole === NONE) return;
      openFile.raStart = hole;
      openFile.raSize = nextWindow(hole - index + requested, max);
    }
    openFile.raOrder += ORDER_STEP;
    this.alignEnd(openFile, max);
    openFile.raAsyncSize = openFile.raSize;
    this.fillWindow(task, openFile);
  }

  /**
   * do_sync_mmap_readahead(): a page fault found page `index` of the file not cached (FIO-13,
   * FIO-22). It may read nothing: the page is then the caller's to add.
   * @param vma the mapping that faulted; its flags and, if executable, its bounds matter
   */
  mmapSync(task: Task, openFile: OpenFile, index: number, vma: Vma): void {
    const { flags } = vma;
    const max = openFile.raPages;
    if (flags & HUGEPAGE && openFile.mapping.maxOrder >= HUGE_ORDER) {
      openFile.raOrder = HUGE_ORDER;
      openFile.raStart = index - (index % HUGE_PAGES);
      openFile.raSize = flags & RAND_READ ? HUGE_PAGES : HUGE_PAGES * 2;
      openFile.raAsyncSize = HUGE_PAGES;
      this.fillWindow(task, openFile);
      return;
    }
    if ((flags & (RAND_READ | EXEC)) === RAND_READ) return;
    if (flags & SEQ_READ) {
      this.sync(task, openFile, index, max);
      return;
    }
    if ((flags & EXEC) === 0) {
      if (openFile.mmapMiss < LOTS_OF_MISSES * 10) openFile.mmapMiss += 1;
      if (openFile.mmapMiss > LOTS_OF_MISSES) return;
      this.open(task, openFile, Math.max(0, index - (max >> 1)), max, max >> 2);
      return;
    }
    const vmaEnd = vma.pgoff + (vma.end - vma.start);
    this.open(task, openFile, index, Math.min(max, vmaEnd - index), 0);
  }

  /**
   * do_async_mmap_readahead(): a page fault found page `index` cached. It counts against the misses
   * (FLT-24), and a readahead mark has its effect.
   */
  mmapAsync(task: Task, openFile: OpenFile, folio: number, index: number, vma: Vma): void {
    if (vma.flags & RAND_READ) return;
    if (openFile.mmapMiss > 0) openFile.mmapMiss -= 1;
    this.async(task, openFile, folio, index, openFile.raPages);
  }

  /**
   * force_page_cache_ra(): `pages` pages from `index` on, each a folio of its own, what is cached left
   * out. No window is opened or changed; for FADV_RANDOM and WILLNEED. One call reads no more than a
   * window (seen on 7.3.4: WILLNEED of 200 pages reads 32).
   */
  force(task: Task, openFile: OpenFile, index: number, pages: number): void {
    const end = index + Math.min(pages, openFile.raPages);
    this.fillPages(task, openFile.mapping, index, end, NONE);
  }

  /** A new sequence begins: its first window is of single pages (FIO-16). */
  private open(
    task: Task,
    openFile: OpenFile,
    start: number,
    size: number,
    asyncSize: number,
  ): void {
    openFile.raStart = start;
    openFile.raSize = size;
    openFile.raAsyncSize = asyncSize;
    openFile.raOrder = 0;
    this.fillWindow(task, openFile);
  }

  /** Cuts a window so that it ends where a large folio of the coming order may begin (FIO-17). */
  private alignEnd(openFile: OpenFile, max: number): void {
    const align = 1 << Math.min(openFile.raOrder, alignedOrder(max));
    const end = openFile.raStart + openFile.raSize;
    const aligned = end - (end % align);
    if (aligned > openFile.raStart) openFile.raSize = aligned - openFile.raStart;
  }

  /**
   * page_cache_ra_order(): adds the window's folios, as large as its order and their alignment allow
   * (FIO-12, FIO-15). At a page that is cached already, or when memory is short, it goes on page by
   * page (FIO-19).
   */
  private fillWindow(task: Task, openFile: OpenFile): void {
    const file = openFile.mapping;
    const windowEnd = openFile.raStart + openFile.raSize;
    const end = Math.min(windowEnd, file.pages);
    const asyncStart = windowEnd - openFile.raAsyncSize;
    const mark = windowEnd >= file.pages || openFile.raAsyncSize === 0 ? NONE : asyncStart;
    const largest = Math.min(file.maxOrder, openFile.raOrder, log2(openFile.raSize));
    openFile.raOrder = largest;
    let index = openFile.raStart;
    while (index < end) {
      let order = index % (1 << largest) === 0 ? largest : alignedOrder(index);
      while (index + (1 << order) > end) order -= 1;
      const next = index + (1 << order);
      const marked = index <= mark && mark < next;
      if (!this.addLocked(task, file, index, order, marked)) break;
      index = next;
    }
    this.readPages(file, openFile.raStart, index);
    this.fillPages(task, file, index, end, mark);
  }

  /** page_cache_ra_unbounded(): pages [index, end) that are in the file and not cached, one by one. */
  private fillPages(task: Task, file: FileMapping, index: number, end: number, mark: number): void {
    const last = Math.min(end, file.pages);
    let page = index;
    for (; page < last; page++) {
      if (this.filemap.lookup(file, page) !== NONE) continue;
      if (!this.addLocked(task, file, page, 0, page === mark)) break;
    }
    this.readPages(file, index, page);
  }

  /**
   * Adds a folio that stays locked until its window is read: no reclaim that a later folio's charge
   * starts can free it (EVT-60 row 1).
   * @returns false = there is no memory, or one of the pages is cached
   */
  private addLocked(
    task: Task,
    file: FileMapping,
    index: number,
    order: number,
    marked: boolean,
  ): boolean {
    const folio = this.filemap.add(task, file, index, order, marked, NORETRY);
    if (folio === NONE) return false;
    this.folios.flags[folio]! |= LOCKED;
    return true;
  }

  /** read_pages(): the device is done with what was added of pages [start, end). */
  private readPages(file: FileMapping, start: number, end: number): void {
    const { flags } = this.folios;
    for (let page = start; page < end; page++) {
      const folio = this.filemap.lookup(file, page);
      if (folio !== NONE) flags[folio]! &= ~LOCKED;
    }
  }
}

/** Whether a read of page `index` goes on where the last one of this descriptor ended (FIO-18). */
function follows(openFile: OpenFile, index: number): boolean {
  if (openFile.prevPos < 0) return false;
  const gap = index - Math.floor(openFile.prevPos / PAGE_SIZE);
  return gap === 0 || gap === 1;
}
