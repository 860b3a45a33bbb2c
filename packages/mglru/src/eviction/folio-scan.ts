// @hot
import {
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  LRU_REFS_MASK,
  type Lruvec,
  MAX_NR_TIERS,
  MAX_NR_ZONES,
  type Memory,
  NIL,
  PG_LRU,
  PG_REFERENCED,
  type ScanControl,
} from "@lrugen/mm-core";
import { nextGeneration } from "../aging/inc-min-seq.ts";
import type { GenerationLists } from "../generation/generation-lists.ts";
import { folioTier, genFromSeq, isSaturated, nrGens } from "../generation/generation.ts";
import { PGREFILL, PGSCAN_ANON, PGSCAN_BY, PGSKIP_DMA } from "./reclaim-counters.ts";

const SKIP_DMA = PGSKIP_DMA;
const SCAN_BY = PGSCAN_BY;
const REFILL = PGREFILL;
const SCAN_ANON = PGSCAN_ANON;
const GEN_MASK = LRU_GEN_MASK;
const GEN_SHIFT = LRU_GEN_PGOFF;
const REFS_MASK = LRU_REFS_MASK;
const REFERENCED = PG_REFERENCED;
const LRU = PG_LRU;
const NONE = NIL;
const ZONES = MAX_NR_ZONES;
const TIERS = MAX_NR_TIERS;
const tierOf = folioTier;
const saturated = isSaturated;
const aged = nextGeneration;
/** CONST-06: pages that end a scan once isolated, or skipped in one zone. */
const MIN_LRU_BATCH = 64;
/** CONST-01. */
const MIN_GENS = 2;

/**
 * scan_folios(): takes folios off the cold end of the oldest generation, or sorts them where they
 * belong. lru_lock is held.
 * Source: EVT-10..25; mm/vmscan.c:scan_folios, sort_folio, isolate_folio.
 */
export class FolioScan {
  /** Pages the last scan isolated, sorted, and passed over for their zone. */
  isolated = 0;
  sorted = 0;
  skipped = 0;
  private readonly memory: Memory;
  private readonly generations: GenerationLists;
  /** Folios passed over in the zone under way. */
  private readonly moved: number;
  private remaining = 0;

  constructor(memory: Memory, generations: GenerationLists) {
    this.memory = memory;
    this.generations = generations;
    this.moved = memory.lists.allocHeads(1);
  }

  /**
   * Scans one type (EVT-10).
   * @param nr folios to look at, at most
   * @param tier last tier that may be evicted
   * @param list head that isolated folios are added to, one reference each; the coldest ends up at
   *   its tail
   * @returns pages scanned
   */
  scan(
    nr: number,
    lruvec: Lruvec,
    sc: ScanControl,
    type: number,
    tier: number,
    list: number,
  ): number {
    this.isolated = 0;
    this.sorted = 0;
    this.skipped = 0;
    if (nrGens(lruvec.lrugen, type) === MIN_GENS) return 0;
    this.remaining = nr;
    let scanned = 0;
    for (let i = ZONES; i > 0; i--) {
      scanned += this.scanZone(lruvec, sc, type, (sc.reclaimIdx + i) % ZONES, tier, list);
      if (this.remaining === 0 || this.isolated >= MIN_LRU_BATCH) break;
    }
    this.count(lruvec, sc, type);
    return scanned;
  }

  /** @returns pages scanned in one zone */
  private scanZone(
    lruvec: Lruvec,
    sc: ScanControl,
    type: number,
    zone: number,
    tier: number,
    list: number,
  ): number {
    const { folios, lists } = this.memory;
    const { lrugen } = lruvec;
    const gen = genFromSeq(lrugen.minSeq[type] as number);
    const head = lrugen.listHead + (gen * 2 + type) * ZONES + zone;
    let scanned = 0;
    let skipped = 0;
    for (let folio = lists.tail(head); folio !== NONE; folio = lists.tail(head)) {
      const pages = folios.nrPagesOf(folio);
      scanned += pages;
      if (this.sort(lruvec, sc, folio, pages, type, zone, gen, tier)) {
        this.sorted += pages;
      } else if (this.isolate(lruvec, folio)) {
        lists.add(list, folio);
        this.isolated += pages;
      } else {
        lists.move(this.moved, folio);
        skipped += pages;
      }
      this.remaining -= 1;
      if (this.remaining === 0 || Math.max(this.isolated, skipped) >= MIN_LRU_BATCH) break;
    }
    if (skipped > 0) this.putAhead(head, zone, skipped);
    return scanned;
  }

  /** sort_folio() (EVT-11). @returns whether the folio found its place and is not to be evicted now */
  private sort(
    lruvec: Lruvec,
    sc: ScanControl,
    folio: number,
    pages: number,
    type: number,
    zone: number,
    oldGen: number,
    tierLimit: number,
  ): boolean {
    const { folios, lists, putback } = this.memory;
    const { lrugen } = lruvec;
    const word = folios.flags[folio] as number;
    if (!putback.isEvictable(folio)) return false;
    const gen = ((word & GEN_MASK) >>> GEN_SHIFT) - 1;
    if (gen !== oldGen) {
      lists.move(lrugen.listHead + (gen * 2 + type) * ZONES + zone, folio);
      return true;
    }
    const tier = tierOf(word);
    const lazy = saturated(word);
    if (tier <= tierLimit && !lazy && zone <= sc.reclaimIdx) return false;
    const newGen = (oldGen + 1) & 3;
    folios.flags[folio] = aged(word, newGen);
    this.generations.updateSize(lruvec, type, zone, pages, oldGen, newGen);
    const head = lrugen.listHead + (newGen * 2 + type) * ZONES + zone;
    if (tier > tierLimit || lazy) {
      lists.move(head, folio);
      if (!lazy) lrugen.protected[type * TIERS + tier]! += pages;
    } else {
      lists.moveTail(head, folio);
    }
    return true;
  }

  /** isolate_folio(): off the LRU, with a reference (EVT-20). @returns false = somebody else has it */
  private isolate(lruvec: Lruvec, folio: number): boolean {
    const { flags, refcount } = this.memory.folios;
    const word = flags[folio] as number;
    if (refcount[folio] === 0 || (word & LRU) === 0) return false;
    refcount[folio]! += 1;
    flags[folio] = word & ~(word & REFERENCED ? LRU : LRU | REFS_MASK);
    this.generations.delFolio(lruvec, folio, true);
    return true;
  }

  /** The folios passed over go to the hot end of their list, in their order (EVT-10). */
  private putAhead(head: number, zone: number, skipped: number): void {
    const { lists, vmstat } = this.memory;
    for (let folio = lists.tail(this.moved); folio !== NONE; folio = lists.tail(this.moved)) {
      lists.move(head, folio);
    }
    this.skipped += skipped;
    vmstat.add(SKIP_DMA + zone, skipped);
  }

  /** EVT-25. */
  private count({ memcg }: Lruvec, sc: ScanControl, type: number): void {
    const { memory, isolated } = this;
    memory.countEvents(SCAN_BY[sc.reclaimer], memcg, isolated);
    memory.countEvents(REFILL, memcg, this.sorted);
    memory.countEvents(SCAN_ANON + type, memcg, isolated);
  }
}
