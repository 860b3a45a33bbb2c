import type { Cpu } from "@lrugen/hardware";
import {
  FOLIO_BATCH_SIZE,
  type FileMapping,
  type FolioTable,
  type Memory,
  NIL,
  type PageCache,
  PG_DIRTY,
  PG_WRITEBACK,
} from "@lrugen/mm-core";
import type { ShmemSwap } from "../swap/shmem-swap.ts";
import type { Filemap } from "./filemap.ts";

const BUSY = PG_DIRTY | PG_WRITEBACK;

/**
 * Dropping folios from the page cache: those nobody uses (invalidation), or all (truncation). Both go
 * through the pages 31 folios at a time, and drop the references of each 31 together.
 * Source: PGC-05; mm/truncate.c.
 */
export class Invalidate {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly cache: PageCache;
  private readonly filemap: Filemap;
  private readonly shmem: ShmemSwap;
  /** Folios at hand, each with a reference. */
  private readonly batch: Int32Array = new Int32Array(FOLIO_BATCH_SIZE);
  private readonly ones: Int32Array = new Int32Array(FOLIO_BATCH_SIZE).fill(1);

  constructor(memory: Memory, filemap: Filemap, shmem: ShmemSwap) {
    this.memory = memory;
    this.folios = memory.folios;
    this.cache = memory.pageCache;
    this.filemap = filemap;
    this.shmem = shmem;
  }

  /**
   * mapping_try_invalidate(): drops the folios that lie in [first, end) and are clean, unmapped and
   * not in any batch. The others are to be reclaimed soon. Shadows of the range are forgotten.
   * @returns folios that could not be dropped
   */
  unused(cpu: Cpu, file: FileMapping, first: number, end: number): number {
    let failed = 0;
    this.eachBatch(cpu, file, first, end, (folio) => {
      if (this.isUnused(folio)) {
        this.filemap.detach(cpu, file, folio);
      } else {
        this.memory.batches.deactivateFile(cpu, folio);
        failed += 1;
      }
    });
    this.cache.clearShadows(file, first, end);
    return failed;
  }

  /**
   * truncate_inode_pages(): drops the folios from page `first` on, dirty or not; none may be mapped. A
   * folio that `first` cuts stays, see firstDropped(). What is swapped out is forgotten.
   */
  all(cpu: Cpu, file: FileMapping, first: number): void {
    const end = file.leaves.length * 64;
    this.eachBatch(cpu, file, first, end, (folio) => this.filemap.detach(cpu, file, folio));
    this.cache.clearShadows(file, first, end);
    if (file.shmem) this.shmem.drop(cpu, file, first, end);
  }

  /**
   * Where truncation to `pages` pages begins to drop: at the first page of a large folio that the new
   * end cuts, if it is clean. Large folios are not split here, and that is what the kernel does with
   * one when splitting fails (truncate_inode_partial_folio).
   */
  firstDropped(file: FileMapping, pages: number): number {
    const cut = this.filemap.lookup(file, pages);
    if (cut === NIL || (this.folios.flags[cut] as number) & BUSY) return pages;
    return this.folios.index[cut] as number;
  }

  /** What mapping_evict_folio() asks: nothing to write, and no references but the cache's and ours. */
  private isUnused(folio: number): boolean {
    if ((this.folios.flags[folio] as number) & BUSY) return false;
    return (this.folios.refcount[folio] as number) <= this.folios.nrPagesOf(folio) + 1;
  }

  /** Calls `drop` for the folios that lie in [first, end) as a whole, in page order. */
  private eachBatch(
    cpu: Cpu,
    file: FileMapping,
    first: number,
    end: number,
    drop: (folio: number) => void,
  ): void {
    const stop = Math.min(end, file.leaves.length * 64);
    let drained = false;
    for (let page = first; page < stop;) {
      let count = 0;
      while (count < FOLIO_BATCH_SIZE && (page = this.cache.nextCached(file, page, stop)) < stop) {
        const folio = this.cache.lookup(file, page);
        const start = this.folios.index[folio] as number;
        page = start + this.folios.nrPagesOf(folio);
        if (start < first || page > end) continue;
        this.folios.refcount[folio]! += 1;
        this.batch[count++] = folio;
      }
      for (let i = 0; i < count; i++) drop(this.batch[i] as number);
      if (count === 0) continue;
      // The kernel's folio_batch_release() drains the caller's CPU the first time (BATCH-17).
      if (!drained) this.memory.batches.drain(cpu);
      drained = true;
      this.memory.release.putRefs(cpu, this.batch, this.ones, count);
    }
  }
}
