import type { Cpu } from "@lrugen/hardware";
import { type Lruvec, type Memory } from "@lrugen/mm-core";
import type { IncMinSeqFeatures } from "../features.ts";
import type { GenerationLists } from "../generation/generation-lists.ts";
import type { LruGenCaps } from "../switch/caps.ts";
import { GenerationWindow } from "./generation-window.ts";
import { IncMinSeq } from "./inc-min-seq.ts";
import { iterateMmList, iterateMmListNowalk } from "./mm-list.ts";
import { LruGenMmWalk } from "./mm-walk.ts";
import { PageTableWalk } from "./page-table-walk.ts";
import { PmdWalk } from "./pmd-walk.ts";
import { Promotion } from "./promotion.ts";
import { PteWalk } from "./pte-walk.ts";

/** What aging did since boot, over all lruvecs. */
export interface AgingCounts {
  /** Folios promoted to max_seq by walks. */
  readonly promoted: number;
  /** Folios relinked by inc_min_seq(). */
  readonly moved: number;
  /** Runs of folios inc_min_seq() moved by one splice. */
  readonly splices: number;
}

/**
 * Producing a new generation: walk the page tables of every address space of the memcg, then move
 * the window.
 * Source: AGE-01..03; mm/vmscan.c:try_to_inc_max_seq.
 */
export class Aging {
  readonly window: GenerationWindow;
  readonly promotion: Promotion;
  readonly pteWalk: PteWalk;
  private readonly oldest: IncMinSeq;
  private readonly tables: PageTableWalk;
  private readonly caps: LruGenCaps;

  constructor(
    memory: Memory,
    generations: GenerationLists,
    caps: LruGenCaps,
    features: IncMinSeqFeatures,
  ) {
    this.caps = caps;
    this.promotion = new Promotion(memory);
    this.oldest = new IncMinSeq(memory, generations, features);
    this.window = new GenerationWindow(memory, this.oldest);
    this.pteWalk = new PteWalk(memory, this.promotion);
    const pmdWalk = new PmdWalk(memory, this.promotion, this.pteWalk, caps);
    this.tables = new PageTableWalk(memory, this.promotion, pmdWalk);
  }

  /** Totals since boot. */
  get counts(): AgingCounts {
    const { moved, splices } = this.oldest;
    return { promoted: this.promotion.promoted, moved, splices };
  }

  /**
   * try_to_inc_max_seq() (AGE-01).
   * @param seq max_seq as the caller saw it
   * @param walk the reclaimer's walk structure; null when it could not be allocated
   * @returns whether this very call raised max_seq
   */
  tryToIncMaxSeq(
    cpu: Cpu,
    lruvec: Lruvec,
    seq: number,
    swappiness: number,
    forceScan: boolean,
    walk: LruGenMmWalk | null,
  ): boolean {
    const { mmState } = lruvec;
    if (seq <= mmState.seq) return false;
    const success =
      this.caps.mmWalk && walk !== null
        ? this.walkMmList(cpu, lruvec, seq, swappiness, forceScan, walk)
        : iterateMmListNowalk(mmState, seq);
    return success && this.window.incMaxSeq(cpu, lruvec, seq, swappiness);
  }

  /** @returns whether this walker finished the list */
  private walkMmList(
    cpu: Cpu,
    lruvec: Lruvec,
    seq: number,
    swappiness: number,
    forceScan: boolean,
    walk: LruGenMmWalk,
  ): boolean {
    walk.begin(lruvec, seq, swappiness, forceScan);
    let walked = false;
    for (;;) {
      const { mm, last } = iterateMmList(walk, walked);
      if (mm === null) {
        walk.lruvec = null;
        return last;
      }
      this.tables.walkMm(cpu, walk, mm);
      walked = true;
    }
  }
}
