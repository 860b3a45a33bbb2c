import type { MmListEntry } from "../memcg/mm-list.ts";

/** CONST-09: LEAF_TOTAL, LEAF_YOUNG, NONLEAF_FOUND, NONLEAF_ADDED. */
export const NR_MM_STATS: number = 4;
/** CONST-10. */
export const NR_BLOOM_FILTERS: number = 2;

/**
 * struct lru_gen_mm_state, one per memcg and node: where the page-table walk stands in the list of
 * address spaces, its Bloom filters and its statistics.
 * Source: INIT-01, LAY-03; include/linux/mmzone.h.
 */
export class LruGenMmState {
  /** Generation whose list iteration is finished. */
  seq = 2;
  /** Last entry handed to a walker; the anchor before the first, null = start over. */
  head: MmListEntry | null = null;
  /** First entry not yet covered by the previous iteration; null = none was. */
  tail: MmListEntry | null = null;
  /** 32,768 bits each, null = not allocated (BLOOM-04). */
  readonly filters: (Int32Array | null)[] = [null, null];
  /** T, Y, F, A: entries of page tables, cumulative (STAT-01). */
  readonly stats: Float64Array = new Float64Array(NR_MM_STATS);
}
