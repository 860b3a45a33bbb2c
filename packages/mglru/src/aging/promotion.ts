// @hot
import {
  ANON_AND_FILE,
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  LRU_REFS_FLAGS,
  LRU_REFS_MASK,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_ZONES,
  type Memory,
  PG_DIRTY,
  PG_HEAD,
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
const HEAD = PG_HEAD;
const ZONES = MAX_NR_ZONES;
/** Lists of one generation. */
const LISTS = ANON_AND_FILE * MAX_NR_ZONES;
const GENS = MAX_NR_GENS;
const isActive = isActiveGen;
const FOUND_DIRTY = 1;
/** Bit of an entry that walkUpdateFolios() takes: a young PTE of the folio was dirty. */
export const DIRTY_FOUND: number = FOUND_DIRTY;

/**
 * What the page-table walk does to a young folio: flags only. The folio stays linked where it is
 * until eviction or inc_min_seq() meets it (PROMO-03); its size change waits in the walk.
 * Source: PROMO-01..07, SZB-01..04; mm/vmscan.c.
 */
export class Promotion {
  /** Folios moved to max_seq since boot. */
  promoted = 0;
  private readonly memory: Memory;
  private readonly single: Int32Array = new Int32Array(1);

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
    this.single[0] = (folio << 1) | (dirty ? FOUND_DIRTY : 0);
    this.walkUpdateFolios(walk, this.single, 1, executable, newGen);
  }

  /**
   * walkUpdateFolio() of the first `count` of `found`, each a folio number times 2, plus DIRTY_FOUND
   * where a young PTE was dirty.
   */
  walkUpdateFolios(
    walk: LruGenMmWalk,
    found: Int32Array,
    count: number,
    executable: boolean,
    newGen: number,
  ): void {
    const { folios, allocator } = this.memory;
    const { flags, mapping } = folios;
    let promoted = 0;
    // Neighbours mostly come from one generation and zone: their sizes change together.
    let from = -1;
    let pages = 0;
    for (let i = 0; i < count; i++) {
      const entry = found[i] as number;
      const folio = entry >> 1;
      let word = flags[folio] as number;
      if ((entry & FOUND_DIRTY) !== 0 && canDirty(word, mapping[folio] as number)) {
        word |= DIRTY;
        flags[folio] = word;
      }
      // folio_update_gen() (PROMO-02): the first observation only marks the folio.
      if ((word & SEEN) === 0 && !(executable && (word & SWAPBACKED) === 0)) {
        flags[folio] = (word & ~REFS_MASK) | REFERENCED;
        continue;
      }
      const oldGen = ((word & GEN_MASK) >>> GEN_SHIFT) - 1;
      if (oldGen < 0) continue;
      flags[folio] = (word & ~REPLACED) | ((newGen + 1) << GEN_SHIFT) | WORKINGSET;
      if (oldGen === newGen) continue;
      promoted += 1;
      const list = oldGen * LISTS + (word & SWAPBACKED ? 0 : ZONES) + allocator.zoneOf(folio);
      if (list !== from) {
        updateSizes(walk, from, newGen, pages);
        from = list;
        pages = 0;
      }
      pages += word & HEAD ? folios.nrPagesOf(folio) : 1;
    }
    updateSizes(walk, from, newGen, pages);
    walk.batched += promoted;
    this.promoted += promoted;
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
}

/**
 * Whether a dirty PTE of a folio makes it dirty. Anonymous memory without a place in swap is not
 * dirtied; shmem, which shares the flags, is (PROMO-01).
 */
export function canDirty(word: number, mapping: number): boolean {
  return (word & DIRTY) === 0 && ((word & ANON_NO_SWAPCACHE) !== SWAPBACKED || (mapping & 1) === 0);
}

/** update_batch_size() of folios that leave one list of an older generation, `pages` pages in all (SZB-01). */
function updateSizes(walk: LruGenMmWalk, from: number, newGen: number, pages: number): void {
  if (pages === 0) return;
  walk.nrPages[from]! -= pages;
  walk.nrPages[newGen * LISTS + (from % LISTS)]! += pages;
}
