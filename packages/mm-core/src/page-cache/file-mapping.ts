import type { Vma } from "../address-space/vma.ts";

/** What a file is made with. */
export interface FileOptions {
  readonly name: string;
  /** Size in pages. */
  readonly pages: number;
  /** Shared memory: swap-backed, anon type (CONV-05, PGC-03). Default false. */
  readonly shmem?: boolean;
  /** Largest folio order the file system takes; default 9. */
  readonly maxOrder?: number;
}

/**
 * struct address_space with the inode around it: one file's page cache, and who maps it.
 * Source: PGC-01; include/linux/fs.h.
 */
export class FileMapping {
  /** Number from 1; FolioTable.mapping holds twice it. */
  readonly id: number;
  readonly name: string;
  readonly shmem: boolean;
  /** Largest folio order readahead may use (FIO-15). */
  readonly maxOrder: number;
  /** Mapping marked unevictable (SHM_LOCK). */
  unevictable = false;
  /** The file system reads through folios; false for DAX and the like (VMA-13). */
  readonly readFolio: boolean = true;
  /** Size in pages; a write beyond it extends the file. */
  pages: number;
  /** Unlinked or truncated away: accesses through mappings get SIGBUS. */
  gone = false;
  /** Node numbers by leaf index (page index / 64); 0 = none. Grows with the file. */
  leaves: Int32Array;
  /** Pages in the cache. */
  cachedPages = 0;
  /** Cached pages of folios with PG_dirty that writeback would write; none of shared memory. */
  dirtyPages = 0;
  /** Jiffies when the file last stopped being clean. */
  dirtiedAt = 0;
  /** Pages whose slot holds a folio or a shadow. */
  entries = 0;
  /** VMAs that map the file (i_mmap); order is that of mapping. */
  readonly vmas: Vma[] = [];

  constructor(id: number, options: FileOptions) {
    this.id = id;
    this.name = options.name;
    this.shmem = options.shmem ?? false;
    this.maxOrder = options.maxOrder ?? 9;
    this.pages = options.pages;
    this.leaves = new Int32Array(Math.max(1, Math.ceil(options.pages / 64)));
  }
}
