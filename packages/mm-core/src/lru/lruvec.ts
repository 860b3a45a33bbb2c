import type { SpinLock } from "@lrugen/hardware";
import { MAX_NR_ZONES } from "../folio/zones.ts";
import type { Memcg } from "../memcg/memcg.ts";
import { LruGenFolio } from "./lru-gen-folio.ts";
import { LruGenMmState } from "./lru-gen-mm-state.ts";

/** Classic list indices (FOL-04). */
export const LRU_INACTIVE_ANON: number = 0;
export const LRU_ACTIVE_ANON: number = 1;
export const LRU_INACTIVE_FILE: number = 2;
export const LRU_ACTIVE_FILE: number = 3;
/** Counted only; its folios are not linked (FOL-05). */
export const LRU_UNEVICTABLE: number = 4;
/** Lists a lruvec counts sizes for. */
export const NR_LRU_LISTS: number = 5;

/** List heads of one lruvec: the generations' and the four classic ones. */
export const LRUVEC_HEADS: number = LruGenFolio.nrHeads + 4;

/**
 * The LRU lists of one memcg on one node, their sizes and their lock (FOL-40).
 * Source: include/linux/mmzone.h:struct lruvec.
 */
export class Lruvec {
  readonly memcg: Memcg;
  readonly node: number;
  /** lru_lock: links, sizes, generation counters (LOCK-01). */
  readonly lock: SpinLock;
  readonly lrugen: LruGenFolio;
  readonly mmState: LruGenMmState = new LruGenMmState();
  /** First of the four classic list heads, in FOL-04 order. */
  readonly listHead: number;
  /** NR_LRU_BASE and NR_ZONE_LRU_BASE counters of this lruvec, pages, [lru][zone] (FOL-41, SIZE-02). */
  readonly lruSize: Int32Array = new Int32Array(NR_LRU_LISTS * MAX_NR_ZONES);
  /** lru_zone_size: classic and unevictable folios only, pages, [lru][zone] (FOL-42). */
  readonly lruZoneSize: Int32Array = new Int32Array(NR_LRU_LISTS * MAX_NR_ZONES);
  /** nonresident_age, pages; see ageNonresident (WS-01). */
  nonresidentAge = 0;

  /**
   * @param heads first of LRUVEC_HEADS consecutive empty list heads
   * @param enabled whether MGLRU is on at creation (INIT-01)
   */
  constructor(
    memcg: Memcg,
    node: number,
    lock: SpinLock,
    heads: number,
    enabled: boolean,
    jiffies: number,
  ) {
    this.memcg = memcg;
    this.node = node;
    this.lock = lock;
    this.lrugen = new LruGenFolio(heads, enabled, jiffies);
    this.listHead = heads + LruGenFolio.nrHeads;
  }

  /** Pages counted under one classic list index, over all zones. */
  sizeOf(lru: number): number {
    let pages = 0;
    for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
      pages += this.lruSize[lru * MAX_NR_ZONES + zone] as number;
    }
    return pages;
  }

  /**
   * update_lru_size(): a classic or unevictable folio came or went.
   * Source: FOL-41, FOL-42; include/linux/mm_inline.h.
   */
  updateLruSize(lru: number, zone: number, pages: number): void {
    const slot = lru * MAX_NR_ZONES + zone;
    this.lruSize[slot]! += pages;
    this.lruZoneSize[slot]! += pages;
  }
}
