import { VM_ACCESS_FLAGS, VM_HUGETLB, VM_LOCKED, VM_SPECIAL, type Vma } from "@lrugen/mm-core";
import { MAX_SWAPPINESS } from "../generation/generation.ts";

/**
 * should_skip_vma(): mappings the page-table walk leaves alone. A private file mapping is judged by
 * its file although it may hold anonymous pages.
 * Source: WALK-02, VMA-13; mm/vmscan.c.
 */
export function shouldSkipVma(vma: Vma, swappiness: number): boolean {
  const { flags, file } = vma;
  if ((flags & VM_ACCESS_FLAGS) === 0 || flags & VM_HUGETLB) return true;
  if (!vma.hasRecency) return true;
  if (flags & (VM_LOCKED | VM_SPECIAL)) return true;
  if (file === null) return swappiness === 0;
  if (file.unevictable) return true;
  if (file.shmem) return swappiness === 0;
  return swappiness > MAX_SWAPPINESS || !file.readFolio;
}

/** The VMA a walk is in, shared by the levels of the walk; null once they ran out. */
export interface VmaCursor {
  vma: Vma | null;
}

/** Virtual pages [start, end) that are one level's turn. */
export interface VmaRange {
  start: number;
  end: number;
}

/**
 * get_next_vma(): after a range is done, the next range of another VMA below the same table, so that
 * one visit of a table covers every VMA it maps.
 * @param cursor moved to the VMA found, or to the first one beyond the table, or to null
 * @param range the finished range; replaced by the next one
 * @param tablePages pages the enclosing table maps
 * @param entryPages pages one of its entries maps
 * @returns false = none
 * Source: WALK-04; mm/vmscan.c.
 */
export function getNextVma(
  cursor: VmaCursor,
  range: VmaRange,
  tablePages: number,
  entryPages: number,
  swappiness: number,
): boolean {
  const start = Math.ceil(range.end / entryPages) * entryPages;
  const limit = Math.ceil(range.end / tablePages) * tablePages;
  if (start >= limit) return false; // the range ended in the last entry of the table
  while (cursor.vma !== null) {
    const { vma } = cursor;
    if (start < vma.end) {
      if (vma.start >= limit) return false;
      if (!shouldSkipVma(vma, swappiness)) {
        range.start = Math.max(start, vma.start);
        range.end = Math.min(limit, vma.end);
        return true;
      }
    }
    cursor.vma = vma.mm.firstVmaEndingAfter(vma.end);
  }
  return false;
}
