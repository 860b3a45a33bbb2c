import { type FolioTable, PG_MLOCKED } from "@lrugen/mm-core";

/**
 * folio_evictable(): whether reclaim may have the folio. That is up to mlock alone here: the model has no
 * SHM_LOCK, which is what else makes the folios of a file unevictable.
 * Source: FOL-06; mm/internal.h.
 */
export function folioEvictable(folios: FolioTable, folio: number): boolean {
  return ((folios.flags[folio] as number) & PG_MLOCKED) === 0;
}
