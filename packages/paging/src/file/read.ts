// @hot
import {
  EINVAL,
  ENOMEM,
  FOLIO_BATCH_SIZE,
  type FileMapping,
  type FolioTable,
  type Memory,
  NIL,
  NotModelledError,
  type OpenFile,
  PG_RECLAIM,
  type Task,
} from "@lrugen/mm-core";
import type { Filemap } from "./filemap.ts";
import type { Readahead } from "./readahead.ts";

const NONE = NIL;
const RECLAIM = PG_RECLAIM;
const BATCH = FOLIO_BATCH_SIZE;
const PAGE_SIZE = 4096;
const INVALID = -EINVAL;
const NO_MEMORY = -ENOMEM;

/**
 * Buffered reads. What is not cached is read ahead; each folio is marked accessed.
 * Source: FIO-01, FIO-18, FIO-20; mm/filemap.c:filemap_read.
 */
export class FileRead {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly filemap: Filemap;
  private readonly readahead: Readahead;
  /** Folios at hand; each is referenced as long as it is in here. */
  private readonly batch: Int32Array = new Int32Array(BATCH);

  constructor(memory: Memory, filemap: Filemap, readahead: Readahead) {
    this.memory = memory;
    this.folios = memory.folios;
    this.filemap = filemap;
    this.readahead = readahead;
  }

  /**
   * pread().
   * @returns bytes read, fewer than asked for at the end of the file and 0 behind it; −EINVAL for a
   *   negative position or length; −ENOMEM
   * @throws NotModelledError for shared memory
   */
  read(task: Task, openFile: OpenFile, firstByte: number, bytes: number): number {
    if (firstByte < 0 || bytes < 0) return INVALID;
    const file = openFile.mapping;
    if (file.shmem) throw new NotModelledError("read() of shared memory");
    const end = Math.min(firstByte + bytes, file.pages * PAGE_SIZE);
    const endIndex = Math.ceil((firstByte + bytes) / PAGE_SIZE);
    let at = firstByte;
    let lastPos = openFile.prevPos;
    while (at < end) {
      const index = Math.floor(at / PAGE_SIZE);
      const count = this.getPages(task, openFile, index, endIndex);
      if (count === 0) {
        openFile.prevPos = lastPos;
        return at > firstByte ? at - firstByte : NO_MEMORY;
      }
      at = Math.min(end, this.take(task, count, lastPos) * PAGE_SIZE);
      lastPos = at;
    }
    openFile.prevPos = lastPos;
    return Math.max(0, at - firstByte);
  }

  /**
   * filemap_get_pages(): fills the batch with folios from page `index` on, reading them in if need be.
   * A readahead mark is looked for on the last of them only, and has its effect before any of them is
   * marked accessed (FIO-20).
   * @returns folios in the batch, 0 = no memory
   */
  private getPages(task: Task, openFile: OpenFile, index: number, endIndex: number): number {
    const file = openFile.mapping;
    let count = this.collect(file, index, endIndex);
    if (count === 0) {
      this.readahead.sync(task, openFile, index, endIndex - index);
      count = this.collect(file, index, endIndex);
    }
    if (count === 0) {
      if (this.filemap.add(task, file, index, 0, false) === NONE) return 0;
      count = this.collect(file, index, index + 1);
    }
    const last = this.batch[count - 1] as number;
    if ((this.folios.flags[last] as number) & RECLAIM) {
      const at = this.folios.index[last] as number;
      this.readahead.async(task, openFile, last, at, endIndex - at);
    }
    return count;
  }

  /** filemap_get_read_batch(): cached folios from page `index` on, up to one with a readahead mark. */
  private collect(file: FileMapping, index: number, endIndex: number): number {
    const { flags, refcount } = this.folios;
    let count = 0;
    let at = index;
    while (at < endIndex && count < BATCH) {
      const folio = this.filemap.lookup(file, at);
      if (folio === NONE) break;
      refcount[folio]! += 1;
      this.batch[count++] = folio;
      if ((flags[folio] as number) & RECLAIM) break;
      at = (this.folios.index[folio] as number) + this.folios.nrPagesOf(folio);
    }
    return count;
  }

  /**
   * Copies the batch out, which marks its folios accessed: all but the first, and that one too unless
   * the read before this ended in it (FIO-01).
   * @param lastPos byte after the last one read before
   * @returns page after the last folio
   */
  private take(task: Task, count: number, lastPos: number): number {
    const { memory, batch } = this;
    let next = 0;
    for (let i = 0; i < count; i++) {
      const folio = batch[i] as number;
      const first = this.folios.index[folio] as number;
      next = first + this.folios.nrPagesOf(folio);
      if (i > 0 || lastPos <= first * PAGE_SIZE || lastPos > next * PAGE_SIZE) {
        memory.lru.active.markAccessed(task.cpu, folio);
      }
      memory.release.put(task.cpu, folio);
    }
    return next;
  }
}
