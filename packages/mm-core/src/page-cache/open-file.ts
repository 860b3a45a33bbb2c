import type { MappedFile } from "../address-space/vma.ts";
import type { Memcg } from "../memcg/memcg.ts";
import type { FileMapping } from "./file-mapping.ts";

/**
 * struct file: one opening of a file, with its own readahead window. A file mapping has one too.
 * Source: FIO-10..22; include/linux/fs.h:struct file_ra_state.
 */
export class OpenFile implements MappedFile {
  readonly mapping: FileMapping;
  /** Readahead window: first page, pages, and pages of its asynchronous tail. */
  raStart = 0;
  raSize = 0;
  raAsyncSize = 0;
  /** Order of the last window's folios (FIO-16). */
  raOrder = 0;
  /** Largest window of the device in pages; what FADV_NORMAL goes back to. */
  readonly deviceRaPages: number;
  /** Largest window in pages: twice the device's after FADV_SEQUENTIAL. */
  raPages: number;
  /** Misses of page faults, for the mmap heuristic (FLT-24). */
  mmapMiss = 0;
  /** Byte after the last one read, −1 before the first read. */
  prevPos = -1;
  /** Descriptors and VMAs that hold it open. */
  users = 1;
  /** Memcg that pays for it, null = nobody; and the bytes it pays (CHG-40). */
  kernelMemcg: Memcg | null = null;
  kernelBytes = 0;
  /** FMODE_RANDOM: read exactly what is asked for (FIO-18). */
  random = false;
  /** FMODE_NOREUSE: accesses say nothing about recency (VMA-04). */
  noReuse = false;

  /** @param raPages the device's readahead size in pages, 32 by default (FIO-10) */
  constructor(mapping: FileMapping, raPages = 32) {
    this.mapping = mapping;
    this.deviceRaPages = raPages;
    this.raPages = raPages;
  }

  get id(): number {
    return this.mapping.id;
  }

  get shmem(): boolean {
    return this.mapping.shmem;
  }

  get unevictable(): boolean {
    return this.mapping.unevictable;
  }

  get readFolio(): boolean {
    return this.mapping.readFolio;
  }
}
