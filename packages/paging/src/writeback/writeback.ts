import type { Cpu } from "@lrugen/hardware";
import {
  FOLIO_BATCH_SIZE,
  type FileMapping,
  type FolioTable,
  type Memory,
  type PageCache,
  PG_DIRTY,
  PG_RECLAIM,
  PG_WRITEBACK,
  STATE_FILE_WRITEBACK,
} from "@lrugen/mm-core";
import type { Filemap } from "../file/filemap.ts";
import { FolioMkclean } from "../mapping/mkclean.ts";

/**
 * Writing dirty folios to a synchronous device: a write is complete when its submission returns.
 * Source: PGC-04; mm/page-writeback.c, mm/filemap.c:folio_end_writeback.
 */
export class Writeback {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly cache: PageCache;
  private readonly filemap: Filemap;
  private readonly mkclean: FolioMkclean;

  constructor(memory: Memory, filemap: Filemap) {
    this.memory = memory;
    this.folios = memory.folios;
    this.cache = memory.pageCache;
    this.filemap = filemap;
    this.mkclean = new FolioMkclean(memory);
  }

  /**
   * filemap_fdatawrite_range(): writes the dirty folios that have a page in [first, end), in page
   * order. A write is complete when the pages after it are not dirty, or at the end; the caller's
   * batches are drained once, after the first 31 folios (BATCH-17). Shared memory is not written.
   * @returns pages written
   */
  range(cpu: Cpu, file: FileMapping, first: number, end: number): number {
    if (file.dirtyPages === 0) return 0;
    const { flags, index } = this.folios;
    const stop = Math.min(end, file.leaves.length * 64);
    let started = 0;
    let written = 0;
    let runStart = 0;
    let runEnd = 0;
    for (let page = first; (page = this.cache.nextCached(file, page, stop)) < stop;) {
      const folio = this.cache.lookup(file, page);
      const start = index[folio] as number;
      page = start + this.folios.nrPagesOf(folio);
      if (((flags[folio] as number) & PG_DIRTY) === 0) continue;
      if (start !== runEnd) {
        this.endRun(cpu, file, runStart, runEnd);
        runStart = start;
      }
      runEnd = page;
      this.start(file, folio);
      written += page - start;
      if (++started === FOLIO_BATCH_SIZE) this.memory.batches.drain(cpu);
    }
    if (started > 0 && started < FOLIO_BATCH_SIZE) this.memory.batches.drain(cpu);
    this.endRun(cpu, file, runStart, runEnd);
    return written;
  }

  /** The whole file; see range(). */
  file(cpu: Cpu, file: FileMapping): number {
    return this.range(cpu, file, 0, file.leaves.length * 64);
  }

  /** folio_start_writeback(), after the dirty flag and writable entries are gone. */
  private start(file: FileMapping, folio: number): void {
    this.mkclean.clean(file, folio);
    this.filemap.clearDirty(file, folio);
    this.folios.flags[folio]! |= PG_WRITEBACK;
    this.count(folio, this.folios.nrPagesOf(folio));
  }

  /** The device has written the folios of pages [from, end). */
  private endRun(cpu: Cpu, file: FileMapping, from: number, end: number): void {
    for (let page = from; page < end;) {
      const folio = this.cache.lookup(file, page);
      page += this.folios.nrPagesOf(folio);
      this.end(cpu, folio);
    }
  }

  /**
   * folio_end_writeback(): a folio that reclaim, or a failed invalidation, wanted gone is queued for
   * the tail of its list while it still is under writeback.
   */
  private end(cpu: Cpu, folio: number): void {
    const { flags } = this.folios;
    if ((flags[folio] as number) & PG_RECLAIM) {
      flags[folio]! &= ~PG_RECLAIM;
      this.memory.batches.rotate(cpu, folio);
    }
    flags[folio]! &= ~PG_WRITEBACK;
    this.count(folio, -this.folios.nrPagesOf(folio));
  }

  private count(folio: number, pages: number): void {
    const memcg = this.folios.memcg[folio] as number;
    this.memory.states.add(STATE_FILE_WRITEBACK, memcg, pages);
  }
}
