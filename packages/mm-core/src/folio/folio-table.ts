// @hot
import type { FolioFlags } from "./folio-flags.ts";
import { PG_HEAD, PG_SWAPBACKED, PG_SWAPCACHE, PG_TAIL } from "./page-flags.ts";

const HEAD = PG_HEAD;
const SWAPCACHE = PG_SWAPBACKED | PG_SWAPCACHE;
const TAIL = PG_TAIL;

/** In FolioTable.contents: what a file held, and programs may have overwritten in part. */
export const FILE_CONTENTS: number = 255;

/** "No folio", "no frame", "no list neighbour". */
export const NIL: number = -1;

/**
 * Every page frame of the machine, as a struct of typed arrays indexed by frame number (pfn).
 *
 * A folio is known by the pfn of its head page. Tail pages carry PG_TAIL and their head's pfn in
 * `next`. As in the kernel, counters that only a large folio needs live in slots its second page
 * does not use: total mapcount in `mapping[head + 1]`, PMD mappings in `refcount[head + 1]`, pages
 * mapped by at least one PTE in `prev[head + 1]`. 40 bytes a page frame in all.
 *
 * Source: FOL-10..12, FOL-20..23; include/linux/mm_types.h:struct folio.
 */
export class FolioTable {
  /** Number of page frames. */
  readonly nrPages: number;
  /** Flag word, see page-flags.ts. */
  readonly flags: FolioFlags;
  /** List link towards the tail; slots from nrPages on are list heads. Tail pages: the head's pfn. */
  readonly next: Int32Array;
  /** List link towards the head. */
  readonly prev: Int32Array;
  /** References, of folios only (FOL-21). */
  readonly refcount: Int32Array;
  /** PTE mappings of this very page, counted from 0 (PAGE_MAPCOUNT). */
  readonly mapcount: Int32Array;
  /** anon_vma id * 2 + 1, file id * 2, or 0 (PAGE_MAPPING_ANON is the low bit). */
  readonly mapping: Int32Array;
  /** Page index in the file, or virtual page number at first mapping for anon memory. */
  readonly index: Float64Array;
  /** Index of the memcg the folio is charged to. */
  readonly memcg: Uint16Array;
  /** log2 of the folio's pages, on head pages; block order on free blocks. */
  readonly order: Uint8Array;
  /** Swap slot of this very page; meaningful while its folio has PG_swapcache (folio.swap). */
  readonly swap: Int32Array;
  /**
   * What this very page holds, as far as the model cares: the byte that a program stored last, up to
   * 254, or FILE_CONTENTS. 0 = nothing but zeroes.
   */
  readonly contents: Uint8Array;

  /**
   * @param nrPages page frames of the machine
   * @param nrHeads list heads to keep in the link arrays behind the frames
   */
  constructor(nrPages: number, nrHeads: number) {
    this.nrPages = nrPages;
    this.flags = new Int32Array(nrPages);
    this.next = new Int32Array(nrPages + nrHeads).fill(-1);
    this.prev = new Int32Array(nrPages + nrHeads).fill(-1);
    this.refcount = new Int32Array(nrPages);
    this.mapcount = new Int32Array(nrPages);
    this.mapping = new Int32Array(nrPages);
    this.index = new Float64Array(nrPages);
    this.memcg = new Uint16Array(nrPages);
    this.order = new Uint8Array(nrPages);
    this.swap = new Int32Array(nrPages);
    this.contents = new Uint8Array(nrPages);
  }

  /** page_folio(): the folio that a page frame belongs to. */
  folioOf(pfn: number): number {
    return (this.flags[pfn] as number) < 0 ? (this.next[pfn] as number) : pfn;
  }

  /** folio_nr_pages(). */
  nrPagesOf(folio: number): number {
    return (this.flags[folio] as number) & HEAD ? 1 << (this.order[folio] as number) : 1;
  }

  /** folio_test_large(). */
  isLarge(folio: number): boolean {
    return ((this.flags[folio] as number) & HEAD) !== 0;
  }

  /** folio_mapcount(): page-table mappings of any page of the folio; a PMD mapping counts 1 (FOL-12). */
  mapcountOf(folio: number): number {
    return (this.flags[folio] as number) & HEAD
      ? (this.mapping[folio + 1] as number)
      : (this.mapcount[folio] as number);
  }

  /** folio_entire_mapcount(): PMD mappings of a large folio. */
  entireMapcountOf(folio: number): number {
    return (this.refcount[folio + 1] as number) | 0;
  }

  /** Pages of a large folio that at least one PTE maps; PMD mappings are not in it. */
  nrPagesMappedOf(folio: number): number {
    return this.prev[folio + 1] as number;
  }

  /**
   * folio_expected_ref_count(): references by page tables, swap cache and page cache. What a folio has
   * beyond them are extra references: batches, isolation, lookups (FOL-20).
   */
  expectedRefCountOf(folio: number): number {
    const mapping = this.mapping[folio] as number;
    const cached =
      ((this.flags[folio] as number) & SWAPCACHE) === SWAPCACHE ||
      (mapping !== 0 && (mapping & 1) === 0);
    return this.mapcountOf(folio) + (cached ? this.nrPagesOf(folio) : 0);
  }

  /**
   * Turns `1 << order` frames from `pfn` into a fresh folio with one reference, no flags, all zeroes.
   * Source: mm/page_alloc.c:prep_new_page; FLAG-02.
   */
  prepare(pfn: number, order: number, memcg: number): void {
    const { flags, next } = this;
    flags[pfn] = order ? HEAD : 0;
    this.order[pfn] = order;
    this.refcount[pfn] = 1;
    this.mapcount[pfn] = 0;
    this.mapping[pfn] = 0;
    this.memcg[pfn] = memcg;
    this.contents[pfn] = 0;
    if (order === 0) return;
    const end = pfn + (1 << order);
    for (let tail = pfn + 1; tail < end; tail++) {
      flags[tail] = TAIL;
      next[tail] = pfn;
      this.mapcount[tail] = 0;
      this.contents[tail] = 0;
    }
    this.mapping[pfn + 1] = 0;
    this.refcount[pfn + 1] = 0;
    this.prev[pfn + 1] = 0;
  }
}
