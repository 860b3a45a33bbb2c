// @hot
import {
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  LRU_REFS_FLAGS,
  LRU_REFS_MASK,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_ZONES,
  type Memory,
  PG_DIRTY,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import { isActiveGen } from "../generation/generation.ts";
import type { LruGenMmWalk } from "./mm-walk.ts";

const GEN_MASK = LRU_GEN_MASK;
const GEN_SHIFT = LRU_GEN_PGOFF;
const REFS_MASK = LRU_REFS_MASK;
const REFERENCED = PG_REFERENCED;
const WORKINGSET = PG_WORKINGSET;
const SEEN = PG_REFERENCED | PG_WORKINGSET;
const SWAPBACKED = PG_SWAPBACKED;
const REPLACED = LRU_GEN_MASK | LRU_REFS_FLAGS;
const ANON_NO_SWAPCACHE = PG_SWAPBACKED | PG_SWAPCACHE;
const DIRTY = PG_DIRTY;
const ZONES = MAX_NR_ZONES;
const GENS = MAX_NR_GENS;
const isActive = isActiveGen;

/**
 * What the page-table walk does to a young folio: flags only. The folio stays linked where it is
 * until eviction or inc_min_seq() meets it (PROMO-03); its size change waits in the walk.
 * Source: PROMO-01..07, SZB-01..04; mm/vmscan.c.
 */
export class Promotion {
  /** Folios moved to max_seq since boot. */
  promoted = 0;
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /**
   * walk_update_folio() of a walk (PROMO-01).
   * @param executable the VMA is executable
   * @param newGen list slot of max_seq
   * @param dirty a young PTE of the folio was dirty
   */
  walkUpdateFolio(
    walk: LruGenMmWalk,
    folio: number,
    executable: boolean,
    newGen: number,
    dirty: boolean,
  ): void {
    const { flags } = this.memory.folios;
    let word = flags[folio] as number;
    if (dirty && (word & DIRTY) === 0 && (word & ANON_NO_SWAPCACHE) !== SWAPBACKED) {
      word |= DIRTY;
      flags[folio] = word;
    }
    // folio_update_gen() (PROMO-02): the first observation only marks the folio.
    if ((word & SEEN) === 0 && !(executable && (word & SWAPBACKED) === 0)) {
      flags[folio] = (word & ~REFS_MASK) | REFERENCED;
      return;
    }
    const oldGen = ((word & GEN_MASK) >>> GEN_SHIFT) - 1;
    if (oldGen < 0) return;
    flags[folio] = (word & ~REPLACED) | ((newGen + 1) << GEN_SHIFT) | WORKINGSET;
    if (oldGen === newGen) return;
    this.promoted += 1;
    this.updateBatchSize(walk, folio, word & SWAPBACKED ? 0 : 1, oldGen, newGen);
  }

  /** reset_batch_size(): the walk's pending sizes reach the lruvec; lru_lock is held (SZB-04). */
  resetBatchSize(walk: LruGenMmWalk): void {
    const { lrugen, lruSize } = walk.lruvec as Lruvec;
    const pending = walk.nrPages;
    walk.batched = 0;
    for (let i = 0; i < GENS * 2 * ZONES; i++) {
      const delta = pending[i] as number;
      if (delta === 0) continue;
      pending[i] = 0;
      lrugen.nrPages[i]! += delta;
      const type = ((i / ZONES) | 0) & 1;
      const gen = (i / (2 * ZONES)) | 0;
      const inactive = type * 2 * ZONES + (i % ZONES);
      lruSize[isActive(lrugen, gen) ? inactive + ZONES : inactive]! += delta;
    }
  }

  /** update_batch_size() (SZB-01). */
  private updateBatchSize(
    walk: LruGenMmWalk,
    folio: number,
    type: number,
    oldGen: number,
    newGen: number,
  ): void {
    const { folios, allocator } = this.memory;
    const zone = allocator.zoneOf(folio);
    const pages = folios.nrPagesOf(folio);
    walk.batched += 1;
    walk.nrPages[(oldGen * 2 + type) * ZONES + zone]! -= pages;
    walk.nrPages[(newGen * 2 + type) * ZONES + zone]! += pages;
  }
}
