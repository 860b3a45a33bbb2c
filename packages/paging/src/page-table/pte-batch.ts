// @hot
import {
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type FolioTable,
  type PageTables,
} from "@lrugen/mm-core";

const PRESENT = ENTRY_PRESENT;
const SHIFT = ENTRY_SHIFT;
const SPECIAL = ENTRY_SPECIAL;

/**
 * folio_pte_batch(): how many PTEs from `slot` on map consecutive pages of one folio, whatever their
 * accessed, dirty and write bits. The PTE at `slot` maps a page of `folio`.
 * @param max PTEs to look at; the caller stops at the end of the table, the VMA and its range
 * Source: PT-17; mm/internal.h.
 */
export function pteBatch(
  tables: PageTables,
  folios: FolioTable,
  folio: number,
  slot: number,
  max: number,
): number {
  if (!folios.isLarge(folio)) return 1;
  const { entries } = tables;
  const pfn = (entries[slot] as number) >>> SHIFT;
  const most = Math.min(max, folio + folios.nrPagesOf(folio) - pfn);
  for (let i = 1; i < most; i++) {
    const entry = entries[slot + i] as number;
    if ((entry & (PRESENT | SPECIAL)) !== PRESENT) return i;
    if (entry >>> SHIFT !== pfn + i) return i;
  }
  return most;
}
