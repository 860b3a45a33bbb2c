// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  LRU_FILE,
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  LRU_REFS_FLAGS,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  type LruGenFolio,
  type Lruvec,
  MAX_NR_TIERS,
  MAX_NR_ZONES,
  type Memory,
  PG_ACTIVE,
  PG_HEAD,
  PG_REFERENCED,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import type { IncMinSeqFeatures } from "../features.ts";
import { resetCtrlPos } from "../generation/ctrl-pos.ts";
import type { GenerationLists } from "../generation/generation-lists.ts";
import { genFromSeq, isEmptyGeneration, SWAPPINESS_ANON_ONLY } from "../generation/generation.ts";

const GEN_MASK = LRU_GEN_MASK;
const GEN_SHIFT = LRU_GEN_PGOFF;
const REPLACED = LRU_GEN_MASK | LRU_REFS_FLAGS;
const REFERENCED = PG_REFERENCED;
const WORKINGSET = PG_WORKINGSET;
const ACTIVE = PG_ACTIVE;
const REFS_MASK = LRU_REFS_MASK;
const REFS_SHIFT = LRU_REFS_PGOFF;
const ALL_REFS = LRU_REFS_MASK | PG_REFERENCED;
const HEAD = PG_HEAD;
const ZONES = MAX_NR_ZONES;
const TIERS = MAX_NR_TIERS;
const FILE = LRU_FILE;
const ANON_ONLY = SWAPPINESS_ANON_ONLY;
/** CONST-07: folios one lock hold may move. */
const MAX_LRU_BATCH = 4096;
const genOf = genFromSeq;

/**
 * inc_min_seq(): empties the oldest generation of a type into the next one, so that there is room
 * for a new one. Each switch of series inc-min-seq is one branch here.
 * Source: AGE-10..14, S1-01..S1-10; mm/vmscan.c.
 */
export class IncMinSeq {
  /** Folios relinked since boot, one by one or in a run. */
  moved = 0;
  /** Runs moved by one splice since boot (S1-07). */
  splices = 0;
  private readonly memory: Memory;
  private readonly generations: GenerationLists;
  private readonly features: IncMinSeqFeatures;
  /** Last folio of the run that ageRun() handled. */
  private runLast = 0;

  constructor(memory: Memory, generations: GenerationLists, features: IncMinSeqFeatures) {
    this.memory = memory;
    this.generations = generations;
    this.features = features;
  }

  /**
   * lru_lock is held.
   * @returns false = the budget of one lock hold ran out: drop the lock and call again (AGE-10)
   */
  incMinSeq(cpu: Cpu, lruvec: Lruvec, type: number, swappiness: number): boolean {
    const { lrugen } = lruvec;
    const evictable = type === FILE ? swappiness !== ANON_ONLY : swappiness !== 0;
    if (evictable) {
      let budget = MAX_LRU_BATCH;
      for (let zone = 0; zone < ZONES; zone++) {
        budget = this.ageZone(cpu, lruvec, type, zone, budget);
        if (budget === 0) return false;
      }
    } else if (!isEmptyGeneration(this.memory.lists, lrugen, lrugen.minSeq[type] as number, type)) {
      lrugen.gaveUpPopulated[type] = true;
    }
    resetCtrlPos(lrugen, type);
    lrugen.minSeq[type]! += 1;
    return true;
  }

  /** One list, by the way the switches say. @returns the budget left */
  private ageZone(cpu: Cpu, lruvec: Lruvec, type: number, zone: number, budget: number): number {
    if (this.features.spliceRuns) return this.spliceRuns(cpu, lruvec, type, zone, budget);
    if (this.features.headToTail) return this.fromHead(cpu, lruvec, type, zone, budget);
    return this.fromTail(lruvec, type, zone, budget);
  }

  /** Linux 7.3: tail to tail, which reverses the list (AGE-13). @returns the budget left */
  private fromTail(lruvec: Lruvec, type: number, zone: number, budget: number): number {
    const { lists } = this.memory;
    const { flags } = this.memory.folios;
    const { batchSizes, promotedAhead, promotedNotProtected } = this.features;
    const { prev } = lists;
    const { lrugen } = lruvec;
    const oldGen = genOf(lrugen.minSeq[type] as number);
    const newGen = (oldGen + 1) & 3;
    const head = lrugen.listHead + (oldGen * 2 + type) * ZONES + zone;
    const newHead = lrugen.listHead + (newGen * 2 + type) * ZONES + zone;
    let left = budget;
    let delta = 0;
    for (let folio = prev[head] as number; folio !== head && left > 0; left--) {
      const word = flags[folio] as number;
      const pages = word & HEAD ? this.memory.folios.nrPagesOf(folio) : 1;
      const promoted = isPromoted(word, oldGen);
      let target = newHead;
      if (promoted) {
        target = promotedHead(lrugen, word, type, zone);
      } else {
        flags[folio] = nextGeneration(word, newGen);
        if (batchSizes) delta += pages;
        else this.generations.updateSize(lruvec, type, zone, pages, oldGen, newGen);
      }
      // One call for both kinds: of two, the engine may inline only that of promoted folios.
      if (promoted && promotedAhead) lists.move(target, folio);
      else lists.moveTail(target, folio);
      if (!(promoted && promotedNotProtected)) this.protect(lrugen, type, word, pages);
      folio = prev[head] as number;
    }
    this.moved += budget - left;
    if (delta > 0) this.applySizes(lrugen, type, zone, oldGen, newGen, delta);
    return left;
  }

  /** Patch 6: head to tail, appended at the tail, so the order survives (S1-06, S1-08). */
  private fromHead(cpu: Cpu, lruvec: Lruvec, type: number, zone: number, budget: number): number {
    const { lists } = this.memory;
    const { flags } = this.memory.folios;
    const { batchSizes, promotedAhead, promotedNotProtected } = this.features;
    const prefetch = cpu.costed && this.features.prefetchInline;
    const { lrugen } = lruvec;
    const oldGen = genOf(lrugen.minSeq[type] as number);
    const newGen = (oldGen + 1) & 3;
    const head = lrugen.listHead + (oldGen * 2 + type) * ZONES + zone;
    const newHead = lrugen.listHead + (newGen * 2 + type) * ZONES + zone;
    let left = budget;
    let delta = 0;
    for (let folio = lists.next[head] as number; folio !== head && left > 0; left--) {
      const after = lists.next[folio] as number;
      if (prefetch && after !== head) this.prefetch(cpu, after);
      const word = flags[folio] as number;
      const pages = word & HEAD ? this.memory.folios.nrPagesOf(folio) : 1;
      const promoted = isPromoted(word, oldGen);
      let target = newHead;
      if (promoted) {
        target = promotedHead(lrugen, word, type, zone);
      } else {
        flags[folio] = nextGeneration(word, newGen);
        if (batchSizes) delta += pages;
        else this.generations.updateSize(lruvec, type, zone, pages, oldGen, newGen);
      }
      // One call for both kinds: of two, the engine may inline only that of promoted folios.
      if (promoted && promotedAhead) lists.move(target, folio);
      else lists.moveTail(target, folio);
      if (!(promoted && promotedNotProtected)) this.protect(lrugen, type, word, pages);
      folio = after;
    }
    this.moved += budget - left;
    if (delta > 0) this.applySizes(lrugen, type, zone, oldGen, newGen, delta);
    return left;
  }

  /** Patch 7: as fromHead, and what lies between promoted folios moves by one splice (S1-07). */
  private spliceRuns(cpu: Cpu, lruvec: Lruvec, type: number, zone: number, budget: number): number {
    const { lists } = this.memory;
    const { flags } = this.memory.folios;
    const prefetch = cpu.costed && this.features.prefetchInline;
    const { lrugen } = lruvec;
    const oldGen = genOf(lrugen.minSeq[type] as number);
    const newGen = (oldGen + 1) & 3;
    const head = lrugen.listHead + (oldGen * 2 + type) * ZONES + zone;
    const newHead = lrugen.listHead + (newGen * 2 + type) * ZONES + zone;
    let left = budget;
    for (let folio = lists.next[head] as number; folio !== head && left > 0;) {
      const word = flags[folio] as number;
      if (isPromoted(word, oldGen)) {
        const after = lists.next[folio] as number;
        if (prefetch && after !== head) this.prefetch(cpu, after);
        const target = promotedHead(lrugen, word, type, zone);
        if (this.features.promotedAhead) lists.move(target, folio);
        else lists.moveTail(target, folio);
        if (!this.features.promotedNotProtected) {
          this.protect(lrugen, type, word, this.memory.folios.nrPagesOf(folio));
        }
        left -= 1;
        folio = after;
        continue;
      }
      const handled = this.ageRun(cpu, lruvec, type, zone, folio, left);
      folio = lists.next[this.runLast] as number;
      lists.bulkMoveTail(newHead, lists.next[head] as number, this.runLast);
      this.splices += 1;
      left -= handled;
    }
    this.moved += budget - left;
    return left;
  }

  /**
   * The flag step for the folios from `first` on, up to the next promoted one, the end of the list,
   * or the budget. Neighbours with equal flags are handled in one inner loop.
   * @returns folios handled; `runLast` is the last of them
   */
  private ageRun(
    cpu: Cpu,
    lruvec: Lruvec,
    type: number,
    zone: number,
    first: number,
    budget: number,
  ): number {
    const { next } = this.memory.lists;
    const { flags, nrPages: end } = this.memory.folios;
    const prefetch = cpu.costed && this.features.prefetchInline;
    const { lrugen } = lruvec;
    const oldGen = genOf(lrugen.minSeq[type] as number);
    const newGen = (oldGen + 1) & 3;
    let left = budget;
    let delta = 0;
    let last = first;
    for (let folio = first; folio < end && left > 0;) {
      const word = flags[folio] as number;
      if (isPromoted(word, oldGen)) break;
      const newWord = nextGeneration(word, newGen);
      let pages = 0;
      do {
        flags[folio] = newWord;
        pages += word & HEAD ? this.memory.folios.nrPagesOf(folio) : 1;
        last = folio;
        folio = next[folio] as number;
        if (prefetch && folio < end) this.prefetch(cpu, folio);
        left -= 1;
      } while (folio < end && left > 0 && flags[folio] === word);
      this.protect(lrugen, type, word, pages);
      if (this.features.batchSizes) delta += pages;
      else this.generations.updateSize(lruvec, type, zone, pages, oldGen, newGen);
    }
    if (delta > 0) this.applySizes(lrugen, type, zone, oldGen, newGen, delta);
    this.runLast = last;
    return budget - left;
  }

  /** S1-05: the flags of the folio that is next get their line for writing ahead of time. */
  private prefetch(cpu: Cpu, folio: number): void {
    cpu.prefetchw(this.memory.folioRegion.line(folio, 0));
  }

  /**
   * Counts pages as protected in the tier their folio's flags had, unless it is saturated (AGE-10,
   * MAP-04, MAP-05).
   */
  private protect(lrugen: LruGenFolio, type: number, word: number, pages: number): void {
    let tier = 0;
    if (word & WORKINGSET) {
      if ((word & ALL_REFS) === ALL_REFS) return;
      tier = 3;
    } else if (word & REFERENCED) {
      tier = Math.min((word & REFS_MASK) >>> REFS_SHIFT, 2);
    }
    lrugen.protected[type * TIERS + tier]! += pages;
  }

  /** S1-02: both generations are inactive when a type has four, so no classic counter changes. */
  private applySizes(
    lrugen: LruGenFolio,
    type: number,
    zone: number,
    oldGen: number,
    newGen: number,
    delta: number,
  ): void {
    lrugen.nrPages[(oldGen * 2 + type) * ZONES + zone]! -= delta;
    lrugen.nrPages[(newGen * 2 + type) * ZONES + zone]! += delta;
  }
}

/** Whether a folio on the list of `oldGen` was promoted in place since it was linked (MINV-03). */
function isPromoted(word: number, oldGen: number): boolean {
  return (word & GEN_MASK) >>> GEN_SHIFT !== oldGen + 1;
}

/** The list that the flags of a folio promoted in place name: it goes there (AGE-13, S1-03). */
function promotedHead(lrugen: LruGenFolio, word: number, type: number, zone: number): number {
  const gen = ((word & GEN_MASK) >>> GEN_SHIFT) - 1;
  return lrugen.listHead + (gen * 2 + type) * ZONES + zone;
}

/** folio_inc_gen(), the flag step: one generation up, accesses forgotten, working set kept (AGE-12). */
export function nextGeneration(word: number, newGen: number): number {
  if (word & ACTIVE) throw new Error("active folio on a multi-gen list");
  return (word & ~REPLACED) | ((newGen + 1) << GEN_SHIFT);
}
