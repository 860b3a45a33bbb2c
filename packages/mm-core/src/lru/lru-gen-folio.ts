import { MAX_NR_ZONES } from "../folio/zones.ts";

/** CONST-01: generations that must always remain. */
export const MIN_NR_GENS: number = 2;
/** CONST-02: list slots per type and zone. */
export const MAX_NR_GENS: number = 4;
/** CONST-03: tiers 0..3. */
export const MAX_NR_TIERS: number = 4;
/** ANON and FILE. */
export const ANON_AND_FILE: number = 2;

/**
 * struct lru_gen_folio, one per memcg and node: generations, their lists and sizes, and the history
 * that the PID control reads (NR_HIST_GENS = 1, so hist is always 0).
 *
 * State only; @lrugen/mglru decides. Sequence numbers are plain numbers, exact to 2^53.
 * Source: mglru.md 1.4, INIT-01; include/linux/mmzone.h.
 */
export class LruGenFolio {
  /** Youngest generation. */
  maxSeq: number = MIN_NR_GENS + 1;
  /** Oldest generation by type. */
  readonly minSeq: Float64Array = new Float64Array(ANON_AND_FILE);
  /** Birth of each generation slot, in jiffies. */
  readonly timestamps: Float64Array = new Float64Array(MAX_NR_GENS);
  /** List head of [gen][type][zone]: `listHead + (gen * 2 + type) * MAX_NR_ZONES + zone`. */
  readonly listHead: number;
  /** Pages by *flag* generation, [gen][type][zone]; may be negative for a while (SZB-03). */
  readonly nrPages: Int32Array = new Int32Array(MAX_NR_GENS * ANON_AND_FILE * MAX_NR_ZONES);
  /**
   * Pages that are flagged as its own but not counted in nrPages, [gen][type][zone]: folios left on the
   * lists of memcgs below it that were removed. When they go they are subtracted from nrPages (REPAR-03).
   */
  readonly abandonedPages: Int32Array = new Int32Array(MAX_NR_GENS * ANON_AND_FILE * MAX_NR_ZONES);
  /** Moving averages and counts, pages, [type][tier]. */
  readonly avgRefaulted: Float64Array = new Float64Array(ANON_AND_FILE * MAX_NR_TIERS);
  readonly avgTotal: Float64Array = new Float64Array(ANON_AND_FILE * MAX_NR_TIERS);
  readonly protected: Float64Array = new Float64Array(ANON_AND_FILE * MAX_NR_TIERS);
  readonly evicted: Float64Array = new Float64Array(ANON_AND_FILE * MAX_NR_TIERS);
  readonly refaulted: Float64Array = new Float64Array(ANON_AND_FILE * MAX_NR_TIERS);
  /**
   * By type: since all lists were empty, an aging that skipped the type gave up its oldest generation with
   * folios in it. From then on folios may be linked outside of [minSeq, maxSeq] (AGE-10 step 1, AGE-11).
   */
  readonly gaveUpPopulated: [boolean, boolean] = [false, false];
  /** Whether adds go to the generations; follows the CORE switch while it flips (FOL-32). */
  enabled: boolean;
  /** Position in the memcg LRU. */
  gen = 0;
  seg = 0;

  constructor(listHead: number, enabled: boolean, jiffies: number) {
    this.listHead = listHead;
    this.enabled = enabled;
    this.timestamps.fill(jiffies);
  }

  /** Heads of one lruvec's generation lists. */
  static readonly nrHeads: number = MAX_NR_GENS * ANON_AND_FILE * MAX_NR_ZONES;
}
