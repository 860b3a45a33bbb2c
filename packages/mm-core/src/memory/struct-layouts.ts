import { structLayout, type StructLayout } from "@lrugen/hardware";

/**
 * struct folio: flags, LRU links and memcg pointer share one 64-byte line, so that a flag update and
 * a list move of one folio touch the same line.
 * Source: LAY-08.
 */
export const FOLIO_LAYOUT: StructLayout = structLayout("folio", 64, [
  ["flags", 8],
  ["lru", 16],
  ["mapping", 8],
  ["index", 8],
  ["private", 8],
  ["_mapcount", 4],
  ["_refcount", 4],
  ["memcg_data", 8],
]);
