import { EEXIST, EINVAL, ENOMEM, type Mm, Vma, VM_SHARED, NotModelledError } from "@lrugen/mm-core";
import type { ModifyVma } from "./modify-vma.ts";

/** One past the last virtual page of a program: 2^47 bytes (PT-01). */
export const TASK_SIZE_PAGES: number = 2 ** 35;

/**
 * mmap() of private anonymous memory at a given place, with MAP_FIXED_NOREPLACE.
 * @param flags VM_* bits
 * @returns 0; −EINVAL for an empty range, −ENOMEM for one beyond the end of user addresses, −EEXIST
 *   where something is mapped already
 * @throws NotModelledError for shared memory
 * Source: mm/mmap.c:do_mmap, mm/vma.c:__mmap_region.
 */
export function mapAnon(
  modify: ModifyVma,
  mm: Mm,
  start: number,
  pages: number,
  flags: number,
): number {
  if (flags & VM_SHARED) {
    throw new NotModelledError("shared anonymous memory");
  }
  if (pages <= 0) return -EINVAL;
  if (start + pages > TASK_SIZE_PAGES) return -ENOMEM;
  const next = mm.firstVmaEndingAfter(start);
  if (next !== null && next.start < start + pages) return -EEXIST;
  const vma = new Vma(mm, start, start + pages, flags);
  mm.insertVma(vma);
  modify.merge(vma);
  return 0;
}
