import {
  ANON_AND_FILE,
  type FolioLists,
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  type LruGenFolio,
  MAX_NR_ZONES,
  PG_REFERENCED,
  PG_WORKINGSET,
} from "@lrugen/mm-core";

/** lru_gen_from_seq(): the list slot of a generation, as an int32 (MAP-01). */
export function genFromSeq(seq: number): number {
  // Sequence numbers may be doubles; an index must not become one, which a remainder would.
  return seq & 3;
}

/** folio_lru_gen(): generation index a folio's flags name, −1 = not on a multi-gen list (CONV-03). */
export function folioLruGen(flags: number): number {
  return ((flags & LRU_GEN_MASK) >>> LRU_GEN_PGOFF) - 1;
}

/** folio_lru_refs(): accesses a folio's flags count, 0..4 (MAP-03). */
export function folioLruRefs(flags: number): number {
  return flags & PG_REFERENCED ? ((flags & LRU_REFS_MASK) >>> LRU_REFS_PGOFF) + 1 : 0;
}

/** lru_tier_from_refs(): 0..3 (MAP-04). */
export function folioTier(flags: number): number {
  if (flags & PG_WORKINGSET) return 3;
  const refs = folioLruRefs(flags);
  return refs <= 1 ? 0 : refs === 2 ? 1 : 2;
}

/** Every access bit in use and workingset too: lazily promoted, never counted as protected (MAP-05). */
export function isSaturated(flags: number): boolean {
  return folioLruRefs(flags) === 4 && (flags & PG_WORKINGSET) !== 0;
}

/** lru_gen_is_active(): one of the two youngest generations (MAP-02). */
export function isActiveGen(lrugen: LruGenFolio, gen: number): boolean {
  return ((lrugen.maxSeq - gen) & 3) < 2;
}

/** get_nr_gens(): generations a type has, 2..4 (MAP-08). */
export function nrGens(lrugen: LruGenFolio, type: number): number {
  return lrugen.maxSeq - (lrugen.minSeq[type] as number) + 1;
}

/** Whether the *lists* of a generation are empty in every zone; sizes are not asked (AGE-23). */
export function isEmptyGeneration(
  lists: FolioLists,
  lrugen: LruGenFolio,
  seq: number,
  type: number,
): boolean {
  const first = lrugen.listHead + (genFromSeq(seq) * ANON_AND_FILE + type) * MAX_NR_ZONES;
  for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
    if (!lists.isEmpty(first + zone)) return false;
  }
  return true;
}

/** MIN_SWAPPINESS, MAX_SWAPPINESS and the "max" keyword (CONST-13). */
export const MIN_SWAPPINESS: number = 0;
export const MAX_SWAPPINESS: number = 200;
export const SWAPPINESS_ANON_ONLY: number = 201;

/** First evictable type under a swappiness (MAP-06). */
export function minType(swappiness: number): number {
  return swappiness === 0 ? 1 : 0;
}

/** Last evictable type under a swappiness (MAP-06). */
export function maxType(swappiness: number): number {
  return swappiness < SWAPPINESS_ANON_ONLY ? 1 : 0;
}

/** evictable_min_seq(): the oldest generation reclaim may touch (MAP-07). */
export function evictableMinSeq(minSeq: Float64Array, swappiness: number): number {
  return Math.min(minSeq[minType(swappiness)] as number, minSeq[maxType(swappiness)] as number);
}
