// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  FILE_CONTENTS,
  type FileMapping,
  type FolioTable,
  type Memory,
  NIL,
  type PageCache,
  PG_DIRTY,
  PG_RECLAIM,
  PG_SWAPBACKED,
  PG_UPTODATE,
  STATE_FILE,
  STATE_FILE_DIRTY,
  STATE_FILE_THP,
  STATE_SHMEM,
  STATE_SHMEM_THP,
  type Task,
} from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import { CHARGE_FULL } from "../charge/charge-kind.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";
import { BufferHeads } from "./buffer-heads.ts";

const NONE = NIL;
const FULL = CHARGE_FULL;
const DIRTY = PG_DIRTY;
const FILE_DATA = FILE_CONTENTS;
const RECLAIM = PG_RECLAIM;
const SWAPBACKED = PG_SWAPBACKED;
const UPTODATE = PG_UPTODATE;
const FILE = STATE_FILE;
const FILE_DIRTY = STATE_FILE_DIRTY;
const FILE_THP = STATE_FILE_THP;
const SHMEM = STATE_SHMEM;
const SHMEM_THP = STATE_SHMEM_THP;
const PMD_PAGES = PAGES_PER_PMD;

/**
 * How folios enter and leave the page cache, and what of them is dirty. Counters and references of
 * a cached folio change here only.
 * Source: PGC-01, FIO-03; mm/filemap.c.
 */
export class Filemap {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly cache: PageCache;
  private readonly charge: Charge;
  /** What writes attach to folios. */
  readonly buffers: BufferHeads;

  constructor(memory: Memory, charge: Charge) {
    this.memory = memory;
    this.charge = charge;
    this.folios = memory.folios;
    this.cache = memory.pageCache;
    this.buffers = new BufferHeads(memory, charge);
  }

  /** filemap_get_folio(): the folio that caches a page, or NIL; no reference is taken. */
  lookup(file: FileMapping, index: number): number {
    return this.cache.lookup(file, index);
  }

  /**
   * filemap_add_folio() of a fresh folio, which the device then reads at once: up to date, its
   * references are those of the cache and of its batch slot (FIO-03, FIO-14).
   * @param index page of the file, aligned to `order`
   * @param order log2 of the folio's pages
   * @param mark it carries the readahead mark (FIO-12)
   * @param kind CHARGE_*
   * @param refaults what was evicted from here is wanted back; false where it is overwritten
   * @returns the folio, or NIL when there is no memory or one of the pages is cached
   */
  add(
    task: Task,
    file: FileMapping,
    index: number,
    order: number,
    mark: boolean,
    kind: number = FULL,
    refaults: boolean = true,
  ): number {
    const { memory, folios, charge } = this;
    const folio = charge.allocFolio(task, order, task.mm?.memcg ?? memory.root, kind);
    if (folio === NONE) return NONE;
    const pages = 1 << order;
    // Only now: paying for the folio may have freed what was in its place.
    const isTaken = this.cache.nextCached(file, index, index + pages) < index + pages;
    if (isTaken || !charge.nodes.prepare(task, file, index, order, kind)) {
      memory.release.put(task.cpu, folio);
      return NONE;
    }
    // The allocation's reference becomes one of the cache's, a page each.
    folios.refcount[folio] = pages;
    folios.flags[folio]! |= UPTODATE | (mark ? RECLAIM : 0) | (file.shmem ? SWAPBACKED : 0);
    if (!file.shmem) folios.contents.fill(FILE_DATA, folio, folio + pages);
    const shadow = refaults ? this.lastShadow(file, index, pages) : undefined;
    this.cache.insert(file, folio, index);
    this.count(file, folio, pages);
    if (shadow !== undefined) memory.lru.reclaim?.refault(task, folio, shadow);
    memory.batches.add(task, folio);
    return folio;
  }

  /**
   * Takes a folio out for truncation or invalidation: it leaves no shadow, and what was dirty is
   * forgotten. The cache's references are dropped, so an otherwise unused folio is freed.
   */
  remove(cpu: Cpu, file: FileMapping, folio: number): void {
    this.folios.refcount[folio]! += 1;
    this.detach(cpu, file, folio);
    this.memory.release.put(cpu, folio);
  }

  /**
   * As remove(), for callers that hold a reference and drop theirs later, many at a time.
   * Source: mm/filemap.c:filemap_remove_folio, mm/page-writeback.c:folio_cancel_dirty.
   */
  detach(cpu: Cpu, file: FileMapping, folio: number): void {
    const pages = this.folios.nrPagesOf(folio);
    this.clearDirty(file, folio);
    this.buffers.release(cpu, folio);
    this.cache.remove(file, folio);
    this.count(file, folio, -pages);
    this.folios.refcount[folio]! -= pages;
  }

  /**
   * A folio of shared memory in the swap cache leaves the page cache for its swap entries, dirty or
   * not as it was. The cache's references are dropped; the swap cache has its own.
   * Source: PGC-03; mm/shmem.c:shmem_delete_from_page_cache.
   */
  replaceWithSwap(file: FileMapping, folio: number, slot: number): void {
    const pages = this.folios.nrPagesOf(folio);
    this.cache.replaceWithSwap(file, folio, slot);
    this.count(file, folio, -pages);
    this.folios.refcount[folio]! -= pages;
  }

  /**
   * A folio of shared memory in the swap cache takes the place of its swap entries again: a reference
   * a page.
   * @param index page of the file that its first page is
   * Source: PGC-03; mm/shmem.c:shmem_add_to_page_cache.
   */
  replaceSwap(file: FileMapping, folio: number, index: number): void {
    const pages = this.folios.nrPagesOf(folio);
    this.folios.refcount[folio]! += pages;
    this.cache.insert(file, folio, index);
    this.count(file, folio, pages);
  }

  /**
   * __filemap_remove_folio() of reclaim: a clean folio goes, its references are gone already.
   * @param shadow value to leave in its place, undefined = nothing (PGC-02)
   */
  evict(file: FileMapping, folio: number, shadow: number | undefined): void {
    const pages = this.folios.nrPagesOf(folio);
    this.cache.remove(file, folio, shadow);
    this.count(file, folio, -pages);
  }

  /**
   * folio_mark_dirty(): the contents differ from the device's. A readahead mark is taken away, since
   * on a dirty folio the bit means something else.
   */
  markDirty(file: FileMapping, folio: number): void {
    this.folios.flags[folio]! &= ~RECLAIM;
    this.setDirty(file, folio);
  }

  /** __folio_mark_dirty(): as markDirty, but PG_reclaim stays as it is. */
  setDirty(file: FileMapping, folio: number): void {
    const { flags } = this.folios;
    if ((flags[folio] as number) & DIRTY) return;
    flags[folio]! |= DIRTY;
    if (file.shmem) return;
    if (file.dirtyPages === 0) file.dirtiedAt = this.memory.clock.jiffies;
    this.countDirty(file, folio, this.folios.nrPagesOf(folio));
  }

  /** folio_clear_dirty_for_io(), folio_cancel_dirty(). @returns whether it was dirty */
  clearDirty(file: FileMapping, folio: number): boolean {
    const { flags } = this.folios;
    if (((flags[folio] as number) & DIRTY) === 0) return false;
    flags[folio]! &= ~DIRTY;
    if (!file.shmem) this.countDirty(file, folio, -this.folios.nrPagesOf(folio));
    return true;
  }

  private countDirty(file: FileMapping, folio: number, pages: number): void {
    file.dirtyPages += pages;
    this.memory.states.add(FILE_DIRTY, this.folios.memcg[folio] as number, pages);
  }

  /** The shadow that counts for a folio of `pages` pages: the last of those it takes the place of. */
  private lastShadow(file: FileMapping, index: number, pages: number): number | undefined {
    if (file.entries === file.cachedPages) return undefined;
    for (let page = index + pages - 1; page >= index; page--) {
      const shadow = this.cache.shadow(file, page);
      if (shadow !== undefined) return shadow;
    }
    return undefined;
  }

  /** `pages` pages of a folio entered the cache, or left it when negative. */
  private count(file: FileMapping, folio: number, pages: number): void {
    const { states } = this.memory;
    const memcg = this.folios.memcg[folio] as number;
    states.add(FILE, memcg, pages);
    if (file.shmem) states.add(SHMEM, memcg, pages);
    if (pages < PMD_PAGES && pages > -PMD_PAGES) return;
    states.add(file.shmem ? SHMEM_THP : FILE_THP, memcg, pages);
  }
}
