// @hot
import { LRU_UNEVICTABLE, PG_ACTIVE, PG_SWAPBACKED, PG_UNEVICTABLE } from "@lrugen/mm-core";

const ACTIVE = PG_ACTIVE;
const SWAPBACKED = PG_SWAPBACKED;
const UNEVICTABLE = PG_UNEVICTABLE;
const UNEVICTABLE_LIST = LRU_UNEVICTABLE;

/**
 * folio_lru_list(): the classic list a folio belongs on, by its flags: 2 * type + active, or
 * LRU_UNEVICTABLE.
 * Source: FOL-03, FOL-04; include/linux/mm_inline.h.
 */
export function folioLruList(flags: number): number {
  if (flags & UNEVICTABLE) return UNEVICTABLE_LIST;
  return (flags & SWAPBACKED ? 0 : 2) + (flags & ACTIVE ? 1 : 0);
}
