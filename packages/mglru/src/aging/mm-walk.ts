import {
  ANON_AND_FILE,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_ZONES,
  NR_MM_STATS,
} from "@lrugen/mm-core";

/** Indices into the walk's and mm_state's statistics (CONST-09). */
export const MM_LEAF_TOTAL: number = 0;
export const MM_LEAF_YOUNG: number = 1;
export const MM_NONLEAF_FOUND: number = 2;
export const MM_NONLEAF_ADDED: number = 3;

/**
 * struct lru_gen_mm_walk: what one walker carries from address space to address space, among it the
 * size changes of folios it promoted but has not accounted yet.
 * Source: LAY-04, SZB-01..03; include/linux/mmzone.h.
 */
export class LruGenMmWalk {
  /** Lists being aged; null while the structure is idle. */
  lruvec: Lruvec | null = null;
  /** max_seq the walk is for. */
  seq = 0;
  /** Virtual page to go on from in the current address space. */
  nextVpn = 0;
  /** Pending size changes, pages, [gen][type][zone]; signed. */
  readonly nrPages: Int32Array = new Int32Array(MAX_NR_GENS * ANON_AND_FILE * MAX_NR_ZONES);
  /** Page-table entries counted so far, T Y F A. */
  readonly mmStats: Int32Array = new Int32Array(NR_MM_STATS);
  /** Folios promoted since the last flush. */
  batched = 0;
  swappiness = 0;
  /** Walk everything: no "used" bit, no Bloom filter, no young-PMD shortcut (MINV-33). */
  forceScan = false;

  /** Makes the structure fresh for an aging. */
  begin(lruvec: Lruvec, seq: number, swappiness: number, forceScan: boolean): void {
    this.lruvec = lruvec;
    this.seq = seq;
    this.nextVpn = 0;
    this.batched = 0;
    this.swappiness = swappiness;
    this.forceScan = forceScan;
    this.nrPages.fill(0);
    this.mmStats.fill(0);
  }
}
