import type { Cpu } from "@lrugen/hardware";
import {
  ANON_AND_FILE,
  LRU_ANON,
  LRU_FILE,
  type LruGenFolio,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_ZONES,
  type Memory,
} from "@lrugen/mm-core";
import { resetCtrlPos } from "../generation/ctrl-pos.ts";
import {
  genFromSeq,
  isEmptyGeneration,
  maxType,
  minType,
  MAX_SWAPPINESS,
  nrGens,
} from "../generation/generation.ts";
import type { IncMinSeq } from "./inc-min-seq.ts";

/**
 * Moving the window of generations.
 * Source: AGE-20..24; mm/vmscan.c:inc_max_seq, try_to_inc_min_seq.
 */
export class GenerationWindow {
  private readonly memory: Memory;
  private readonly oldest: IncMinSeq;

  constructor(memory: Memory, oldest: IncMinSeq) {
    this.memory = memory;
    this.oldest = oldest;
  }

  /**
   * inc_max_seq(): opens a new youngest generation; a type that has all four gives up its oldest
   * first, 4,096 folios a lock hold.
   * @param seq max_seq the caller saw
   * @returns false = somebody else was faster (AGE-20)
   */
  incMaxSeq(cpu: Cpu, lruvec: Lruvec, seq: number, swappiness: number): boolean {
    const { lrugen } = lruvec;
    if (seq < lrugen.maxSeq) return false;
    for (;;) {
      cpu.acquire(lruvec.lock);
      if (seq !== lrugen.maxSeq) {
        cpu.release(lruvec.lock);
        return false;
      }
      if (this.makeRoom(cpu, lruvec, swappiness)) break;
      cpu.release(lruvec.lock);
    }
    shiftActive(lruvec);
    lrugen.timestamps[genFromSeq(lrugen.maxSeq + 1)] = this.memory.clock.jiffies;
    lrugen.maxSeq += 1;
    cpu.release(lruvec.lock);
    return true;
  }

  /**
   * try_to_inc_min_seq(): min_seq passes generations that are empty, lru_lock held. With both types
   * evictable they stay close to each other (AGE-22..24).
   */
  tryToIncMinSeq(lruvec: Lruvec, swappiness: number): void {
    const { lrugen } = lruvec;
    const { minSeq } = lrugen;
    let anon = minSeq[0] as number;
    let file = minSeq[1] as number;
    if (minType(swappiness) === LRU_ANON) anon = this.firstPopulated(lruvec, LRU_ANON);
    if (maxType(swappiness) === LRU_FILE) file = this.firstPopulated(lruvec, LRU_FILE);
    if (anon === minSeq[0] && file === minSeq[1]) return;
    if (swappiness >= 1 && swappiness <= MAX_SWAPPINESS) {
      const limit = lrugen.maxSeq - 2;
      if (anon > limit && file < limit) anon = limit;
      else if (file > limit && anon < limit) file = limit;
    }
    raiseMinSeq(lrugen, LRU_ANON, anon);
    raiseMinSeq(lrugen, LRU_FILE, file);
  }

  /** The oldest generation of a type that has folios, or one of the two youngest. */
  private firstPopulated({ lrugen }: Lruvec, type: number): number {
    const { lists } = this.memory;
    let seq = lrugen.minSeq[type] as number;
    while (seq + 2 <= lrugen.maxSeq && isEmptyGeneration(lists, lrugen, seq, type)) seq += 1;
    return seq;
  }

  private makeRoom(cpu: Cpu, lruvec: Lruvec, swappiness: number): boolean {
    for (let type = 0; type < ANON_AND_FILE; type++) {
      if (nrGens(lruvec.lrugen, type) !== MAX_NR_GENS) continue;
      if (!this.oldest.incMinSeq(cpu, lruvec, type, swappiness)) return false;
    }
    return true;
  }
}

/**
 * The active window moves on by one generation: what was second youngest becomes inactive, what the
 * new slot already holds becomes active (AGE-20 step 3, AGE-21).
 */
function shiftActive({ lrugen, lruSize }: Lruvec): void {
  const prev = genFromSeq(lrugen.maxSeq - 1);
  const next = genFromSeq(lrugen.maxSeq + 1);
  for (let type = 0; type < ANON_AND_FILE; type++) {
    for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
      const delta =
        (lrugen.nrPages[(prev * 2 + type) * MAX_NR_ZONES + zone] as number) -
        (lrugen.nrPages[(next * 2 + type) * MAX_NR_ZONES + zone] as number);
      const inactive = type * 2 * MAX_NR_ZONES + zone;
      lruSize[inactive]! += delta;
      lruSize[inactive + MAX_NR_ZONES]! -= delta;
    }
  }
}

/** Moves min_seq up to `seq`, if that is higher, and carries the history over once (CTRL-02). */
function raiseMinSeq(lrugen: LruGenFolio, type: number, seq: number): void {
  if (seq <= (lrugen.minSeq[type] as number)) return;
  resetCtrlPos(lrugen, type);
  lrugen.minSeq[type] = seq;
}
