// @hot
import { type FileMapping, type FolioTable, NIL, type PageCache } from "@lrugen/mm-core";

const NONE = NIL;
/** Pages of one leaf of the page-cache tree; a folio as large is linked above it (CHG-43). */
const LEAF_PAGES = 64;

/**
 * The search for a page that is not cached, as readahead makes it.
 *
 * One that starts d pages into a large folio looks at the folio's first page, but counts from where it was told
 * to start: its count is d pages ahead of where it looks. In the next leaf it looks where its place in that
 * leaf is by the count: forward, both agree again and d pages were not looked at; backward, it is 64 pages ahead.
 * Seen on 7.3.4 (FINDINGS.md).
 *
 * Source: FIO-11, FIO-17; mm/filemap.c:page_cache_next_miss, page_cache_prev_miss.
 */
export class MissSearch {
  private readonly cache: PageCache;
  private readonly folios: FolioTable;

  constructor(cache: PageCache, folios: FolioTable) {
    this.cache = cache;
    this.folios = folios;
  }

  /** The first page of [first, first + max) that is not cached, by the search's count, or NIL. */
  next(file: FileMapping, first: number, max: number): number {
    let look = first - this.pagesInto(file, first);
    for (let count = first; count < first + max;) {
      if (this.cache.lookup(file, look) === NONE) return count;
      count += 1;
      look = look % LEAF_PAGES === LEAF_PAGES - 1 ? count : look + 1;
    }
    return NONE;
  }

  /** How many pages that end before `index` are cached in a row, by the search's count, at most `max`. */
  before(file: FileMapping, index: number, max: number): number {
    let count = index - 1;
    let look = count - this.pagesInto(file, count);
    while (count >= 0 && index - 1 - count < max) {
      if (look < 0 || this.cache.lookup(file, look) === NONE) break;
      count -= 1;
      look = look % LEAF_PAGES === 0 ? look - LEAF_PAGES + (count % LEAF_PAGES) : look - 1;
    }
    return index - 1 - count;
  }

  /**
   * How far into its folio a cached page is; 0 for one that is not cached. A folio of a leaf or more is one slot of
   * the node above, so that the search is never inside of it (inferred from CHG-43; readahead makes none).
   */
  private pagesInto(file: FileMapping, page: number): number {
    const folio = this.cache.lookup(file, page);
    if (folio === NONE || this.folios.nrPagesOf(folio) >= LEAF_PAGES) return 0;
    return page - (this.folios.index[folio] as number);
  }
}
