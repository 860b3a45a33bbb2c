// @hot
import {
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  type LruGenFolio,
  type Lruvec,
  MAX_NR_ZONES,
  type Memory,
  PG_ACTIVE,
  PG_DIRTY,
  PG_RECLAIM,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  PG_WORKINGSET,
  PG_WRITEBACK,
} from "@lrugen/mm-core";
import { folioLruGen, genFromSeq, isActiveGen } from "./generation.ts";

const GEN_MASK = LRU_GEN_MASK;
const GEN_SHIFT = LRU_GEN_PGOFF;
const ZONES = MAX_NR_ZONES;
const ACTIVE = PG_ACTIVE;
const SWAPBACKED = PG_SWAPBACKED;
const UNEVICTABLE = PG_UNEVICTABLE;
const WORKINGSET = PG_WORKINGSET;
const SWAPCACHE = PG_SWAPCACHE;
const RECLAIM = PG_RECLAIM;
const WRITING = PG_DIRTY | PG_WRITEBACK;
const SEEN = PG_WORKINGSET | PG_REFERENCED;
const genOf = folioLruGen;
const genFrom = genFromSeq;
const isActive = isActiveGen;

/**
 * Adding folios to generations, taking them off, and the sizes that go with it.
 * Source: ADD-01..05, DEL-01, SIZE-01, SIZE-02; include/linux/mm_inline.h.
 */
export class GenerationLists {
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /**
   * lru_gen_add_folio(): links a folio into the generation its flags ask for (ADD-01).
   * @returns false = unevictable, or the lruvec is on the classic lists
   */
  addFolio(lruvec: Lruvec, folio: number, reclaiming: boolean): boolean {
    const { folios, lists, allocator } = this.memory;
    const { lrugen } = lruvec;
    const flags = folios.flags[folio] as number;
    if (flags & UNEVICTABLE || !lrugen.enabled) return false;
    const type = flags & SWAPBACKED ? 0 : 1;
    const gen = genFrom(this.folioSeq(lrugen, flags, type, reclaiming));
    folios.flags[folio] = (flags & ~(GEN_MASK | ACTIVE)) | ((gen + 1) << GEN_SHIFT);
    const zone = allocator.zoneOf(folio);
    this.updateSize(lruvec, type, zone, folios.nrPagesOf(folio), -1, gen);
    const head = lrugen.listHead + (gen * 2 + type) * ZONES + zone;
    if (reclaiming) lists.addTail(head, folio);
    else lists.add(head, folio);
    return true;
  }

  /**
   * lru_gen_del_folio(): unlinks a folio; one of an active generation leaves with PG_active unless
   * it is being reclaimed (DEL-01).
   * @returns false = it is on no multi-gen list
   */
  delFolio(lruvec: Lruvec, folio: number, reclaiming: boolean): boolean {
    const { folios, lists, allocator } = this.memory;
    const flags = folios.flags[folio] as number;
    const gen = genOf(flags);
    if (gen < 0) return false;
    const keepActive = !reclaiming && isActive(lruvec.lrugen, gen);
    folios.flags[folio] = (flags & ~GEN_MASK) | (keepActive ? ACTIVE : 0);
    const type = flags & SWAPBACKED ? 0 : 1;
    this.updateSize(lruvec, type, allocator.zoneOf(folio), folios.nrPagesOf(folio), gen, -1);
    lists.del(folio);
    return true;
  }

  /**
   * lru_gen_update_size(): a folio came (`oldGen` −1), left (`newGen` −1) or changed generation.
   * The classic counters follow; lru_zone_size does not (SIZE-01, SIZE-02).
   * @param pages size of the folio in pages
   */
  updateSize(
    lruvec: Lruvec,
    type: number,
    zone: number,
    pages: number,
    oldGen: number,
    newGen: number,
  ): void {
    const { lrugen, lruSize } = lruvec;
    const { nrPages } = lrugen;
    if (oldGen >= 0) nrPages[(oldGen * 2 + type) * ZONES + zone]! -= pages;
    if (newGen >= 0) nrPages[(newGen * 2 + type) * ZONES + zone]! += pages;
    const inactive = type * 2 * ZONES + zone;
    // Asked for both each time, also where it means nothing: a call that most callers jump over is
    // not inlined.
    const wasActive = isActive(lrugen, oldGen);
    const active = isActive(lrugen, newGen);
    if (oldGen < 0) {
      lruSize[active ? inactive + ZONES : inactive]! += pages;
    } else if (newGen < 0) {
      lruSize[wasActive ? inactive + ZONES : inactive]! -= pages;
    } else if (!wasActive && active) {
      lruSize[inactive]! -= pages;
      lruSize[inactive + ZONES]! += pages;
    }
  }

  /** lru_gen_folio_seq(): which generation an added folio belongs to, by the first matching row of ADD-02. */
  folioSeq(lrugen: LruGenFolio, flags: number, type: number, reclaiming: boolean): number {
    let age: number;
    if (flags & ACTIVE) age = flags & WORKINGSET ? 1 : 2;
    else if (reclaiming) age = 4;
    else if (type === 0 && (flags & SWAPCACHE) === 0) age = 2;
    else if (flags & RECLAIM && flags & WRITING) age = 2;
    else age = flags & SEEN ? 3 : 4;
    return Math.max(lrugen.maxSeq - age + 1, lrugen.minSeq[type] as number);
  }
}
