import { EEXIST, EINVAL, ENOMEM, type Mm, type OpenFile, Vma, VM_SHARED } from "@lrugen/mm-core";
import { linkFile } from "./file-vmas.ts";
import type { ModifyVma } from "./modify-vma.ts";
import type { SharedMemory } from "./shared-memory.ts";

/** One past the last virtual page of a program: 2^47 bytes (PT-01). */
export const TASK_SIZE_PAGES: number = 2 ** 35;

/**
 * mmap() at a given place, with MAP_FIXED_NOREPLACE.
 * Source: mm/mmap.c:do_mmap, mm/vma.c:__mmap_region.
 */
export class MapRegion {
  private readonly modify: ModifyVma;
  private readonly sharedMemory: SharedMemory;

  constructor(modify: ModifyVma, sharedMemory: SharedMemory) {
    this.modify = modify;
    this.sharedMemory = sharedMemory;
  }

  /**
   * Anonymous memory: private, or, with VM_SHARED, shared with the children to come (PGC-03).
   * @param flags VM_* bits
   * @returns 0; −EINVAL for an empty range, −ENOMEM for one beyond the end of user addresses, −EEXIST
   *   where something is mapped already
   */
  anon(mm: Mm, start: number, pages: number, flags: number): number {
    const error = check(mm, start, pages);
    if (error !== 0) return error;
    const file = flags & VM_SHARED ? this.sharedMemory.create(pages) : null;
    this.insert(new Vma(mm, start, start + pages, flags, file, file === null ? start : 0));
    return 0;
  }

  /**
   * A file, shared with VM_SHARED, otherwise private. It may be shorter than the mapping.
   * @param openFile what the mapping reads through; its readahead window is the mapping's
   * @param pgoff page of the file that `start` maps
   * @returns as anon(); −EINVAL for a negative `pgoff` too
   */
  file(
    mm: Mm,
    start: number,
    pages: number,
    flags: number,
    openFile: OpenFile,
    pgoff: number,
  ): number {
    if (pgoff < 0) return -EINVAL;
    const error = check(mm, start, pages);
    if (error !== 0) return error;
    this.insert(new Vma(mm, start, start + pages, flags, openFile, pgoff));
    return 0;
  }

  private insert(vma: Vma): void {
    vma.mm.insertVma(vma);
    linkFile(vma);
    this.modify.merge(vma);
  }
}

function check(mm: Mm, start: number, pages: number): number {
  if (pages <= 0) return -EINVAL;
  if (start < 0 || start + pages > TASK_SIZE_PAGES) return -ENOMEM;
  const next = mm.firstVmaEndingAfter(start);
  return next !== null && next.start < start + pages ? -EEXIST : 0;
}
