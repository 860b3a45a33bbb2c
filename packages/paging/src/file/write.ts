// @hot
import {
  EINVAL,
  ENOMEM,
  type FileMapping,
  type FolioTable,
  type Memory,
  NIL,
  NotModelledError,
  type OpenFile,
  type PageCache,
  type Task,
} from "@lrugen/mm-core";
import { CHARGE_FULL, CHARGE_NORETRY } from "../charge/charge-kind.ts";
import type { Filemap } from "./filemap.ts";
import { alignedOrder, log2 } from "./readahead-window.ts";

const NONE = NIL;
const FULL = CHARGE_FULL;
const NORETRY = CHARGE_NORETRY;
const PAGE_SIZE = 4096;
const INVALID = -EINVAL;
const NO_MEMORY = -ENOMEM;

/**
 * Buffered writes. They mark nothing accessed, and leave a readahead mark where it is (ADD-14).
 * Source: mm/filemap.c:generic_perform_write, __filemap_get_folio; fs/ext4/inode.c.
 */
export class FileWrite {
  private readonly folios: FolioTable;
  private readonly cache: PageCache;
  private readonly filemap: Filemap;

  constructor(memory: Memory, filemap: Filemap) {
    this.folios = memory.folios;
    this.cache = memory.pageCache;
    this.filemap = filemap;
  }

  /**
   * pwrite(). A page that is written in part is read first. The file grows by whole pages.
   * @returns bytes written; −EINVAL for a negative position or length; −ENOMEM when there was no page
   *   for the first of them
   * @throws NotModelledError for shared memory
   */
  write(task: Task, openFile: OpenFile, firstByte: number, bytes: number): number {
    if (firstByte < 0 || bytes < 0) return INVALID;
    const file = openFile.mapping;
    if (file.shmem) throw new NotModelledError("write() of shared memory");
    const end = firstByte + bytes;
    let at = firstByte;
    while (at < end) {
      const index = Math.floor(at / PAGE_SIZE);
      let folio = this.filemap.lookup(file, index);
      if (folio === NONE) folio = this.add(task, file, index, end - at);
      if (folio === NONE) return at > firstByte ? at - firstByte : NO_MEMORY;
      this.filemap.buffers.attach(task, folio);
      const next = (this.folios.index[folio] as number) + this.folios.nrPagesOf(folio);
      this.filemap.setDirty(file, folio);
      at = Math.min(end, next * PAGE_SIZE);
      file.pages = Math.max(file.pages, Math.ceil(at / PAGE_SIZE));
    }
    return at - firstByte;
  }

  /**
   * A folio for a page that is not cached: as large as the bytes still to be written, the page's
   * alignment and its cached neighbours allow (seen on 7.3.4: 16 KiB at page 33 are 33, 34..35, 36).
   */
  private add(task: Task, file: FileMapping, index: number, bytes: number): number {
    const pages = Math.floor(bytes / PAGE_SIZE);
    let order = pages > 1 ? Math.min(log2(pages), file.maxOrder) : 0;
    if (index % (1 << order) !== 0) order = alignedOrder(index);
    for (; order > 0; order--) {
      const end = index + (1 << order);
      if (this.cache.nextCached(file, index, end) < end) continue;
      const folio = this.filemap.add(task, file, index, order, false, NORETRY, false);
      if (folio !== NONE) return folio;
    }
    return this.filemap.add(task, file, index, 0, false, FULL, false);
  }
}
