// @hot
import {
  type FolioReclaimer,
  LRU_REFS_FLAGS,
  type Lruvec,
  type Memory,
  NIL,
  PG_ACTIVE,
  PG_DIRTY,
  PG_SWAPBACKED,
  PG_WRITEBACK,
  type ScanControl,
} from "@lrugen/mm-core";
import type { GenerationWindow } from "../aging/generation-window.ts";
import type { LruGenMmWalk } from "../aging/mm-walk.ts";
import type { Promotion } from "../aging/promotion.ts";
import type { GenerationLists } from "../generation/generation-lists.ts";
import { maxType, minType } from "../generation/generation.ts";
import type { LookAround } from "../look-around/look-around.ts";
import { FolioScan } from "./folio-scan.ts";
import { PGROTATE_ANON, PGSTEAL_ANON, PGSTEAL_BY } from "./reclaim-counters.ts";
import { tierLimit, typeToScan } from "./refault-balance.ts";

const STEAL_BY = PGSTEAL_BY;
const STEAL_ANON = PGSTEAL_ANON;
const ROTATE_ANON = PGROTATE_ANON;
const NONE = NIL;
const ACTIVE = PG_ACTIVE;
const SWAPBACKED = PG_SWAPBACKED;
const REFS_FLAGS = LRU_REFS_FLAGS;
const NOT_CLEAN = PG_ACTIVE | PG_DIRTY | PG_WRITEBACK;

/** The parts of the policy that eviction works with. */
export interface EvictionParts {
  readonly generations: GenerationLists;
  readonly window: GenerationWindow;
  readonly promotion: Promotion;
  readonly lookAround: LookAround;
}

/**
 * evict_folios(): one batch of the coldest folios is isolated, reclaimed, and what could not be
 * reclaimed is put back where it will not be met again at once.
 * Source: EVT-01..49; mm/vmscan.c.
 */
export class Eviction {
  readonly scan: FolioScan;
  private readonly memory: Memory;
  private readonly parts: EvictionParts;
  /** Isolated folios, coldest at the tail; and those worth a second attempt. */
  private readonly list: number;
  private readonly clean: number;
  /** Type of the folios on `list`, and their pages when they were isolated. */
  private type = 0;
  private isolated = 0;

  constructor(memory: Memory, parts: EvictionParts) {
    this.memory = memory;
    this.parts = parts;
    this.scan = new FolioScan(memory, parts.generations);
    this.list = memory.lists.allocHeads(2);
    this.clean = this.list + 1;
  }

  /**
   * @param nr folios to look at, at most
   * @returns pages scanned; 0 = there is nothing to evict (EVT-01)
   */
  evictFolios(nr: number, lruvec: Lruvec, sc: ScanControl, swappiness: number): number {
    const { window } = this.parts;
    const { cpu } = sc.task;
    cpu.acquire(lruvec.lock);
    window.tryToIncMinSeq(lruvec, swappiness);
    const scanned = this.isolateFolios(nr, lruvec, sc, swappiness);
    if (scanned > 0) window.tryToIncMinSeq(lruvec, swappiness);
    cpu.release(lruvec.lock);
    if (this.isolated > 0) this.reclaimIsolated(lruvec, sc);
    return scanned;
  }

  /** isolate_folios(): another round when the first found nothing to isolate (EVT-02, EVT-03). */
  private isolateFolios(nr: number, lruvec: Lruvec, sc: ScanControl, swappiness: number): number {
    const { lrugen } = lruvec;
    const rounds = maxType(swappiness) - minType(swappiness) + 1;
    let type = typeToScan(lrugen, swappiness);
    let total = 0;
    this.isolated = 0;
    for (let round = 0; round < rounds; round++) {
      const tier = tierLimit(lrugen, type);
      const scanned = this.scan.scan(nr, lruvec, sc, type, tier, this.list);
      total += scanned;
      if (this.scan.isolated > 0) {
        this.type = type;
        this.isolated = this.scan.isolated;
        break;
      }
      if (scanned === 0) type = 1 - type;
    }
    return total;
  }

  /** EVT-40..49: at most two passes, the second over those that came clean meanwhile. */
  private reclaimIsolated(lruvec: Lruvec, sc: ScanControl): void {
    const { memory, list, clean, type, isolated } = this;
    const { lists } = memory;
    const { lookAround } = this.parts;
    const reclaimer = memory.reclaimer as FolioReclaimer;
    let reclaimed = 0;
    for (let first = true; ; first = false) {
      lookAround.walk = sc.policyWalk as LruGenMmWalk | null;
      const dirty = sc.nr.unqueuedDirty;
      const freed = reclaimer.shrinkFolioList(sc, list, false);
      if (first && sc.nr.unqueuedDirty - dirty === isolated) reclaimer.wakeFlushers();
      lookAround.walk = null;
      sc.nrReclaimed += freed;
      reclaimed += freed;
      this.judgeSurvivors(lruvec, type, first);
      memory.putback.moveToLru(sc.task, list);
      this.flushWalk(lruvec, sc);
      memory.countEvents(STEAL_BY[sc.reclaimer], lruvec.memcg, freed);
      memory.countEvents(STEAL_ANON + type, lruvec.memcg, freed);
      if (lists.isEmpty(clean)) break;
      lists.bulkMoveTail(list, lists.first(clean), lists.tail(clean));
    }
    if (isolated > reclaimed) {
      memory.countEvents(ROTATE_ANON + type, lruvec.memcg, isolated - reclaimed);
    }
  }

  /**
   * Survivors in the order they were processed: one that is clean now is tried again, one that would
   * go back to the oldest generation is made active (EVT-41, EVT-42).
   */
  private judgeSurvivors(lruvec: Lruvec, type: number, first: boolean): void {
    const { folios, lists, putback } = this.memory;
    const { flags } = folios;
    const { generations } = this.parts;
    const { lrugen } = lruvec;
    const head = this.list;
    const oldest = lrugen.minSeq[type] as number;
    let folio = lists.tail(head);
    while (folio !== NONE && folio !== head) {
      const next = lists.prev[folio] as number;
      const word = flags[folio] as number;
      if (!putback.isEvictable(folio)) {
        // Left for moveToLru(), which sends it through the batches.
      } else if (first && (word & NOT_CLEAN) === 0 && folios.mapcountOf(folio) === 0) {
        lists.move(this.clean, folio);
      } else if (generations.folioSeq(lrugen, word, word & SWAPBACKED ? 0 : 1, false) === oldest) {
        flags[folio] = (word & ~REFS_FLAGS) | ACTIVE;
      }
      folio = next;
    }
  }

  /** EVT-47: what look-around promoted in place is accounted now. */
  private flushWalk(lruvec: Lruvec, sc: ScanControl): void {
    const walk = sc.policyWalk as LruGenMmWalk | null;
    if (walk === null || walk.batched === 0) return;
    const { cpu } = sc.task;
    walk.lruvec = lruvec;
    cpu.acquire(lruvec.lock);
    this.parts.promotion.resetBatchSize(walk);
    cpu.release(lruvec.lock);
    walk.lruvec = null;
  }
}
