import {
  LRU_GEN_MASK,
  LRU_REFS_FLAGS,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  type Lruvec,
  MAX_NR_ZONES,
  type Memory,
  PG_REFERENCED,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import type { IncMinSeqFeatures } from "../../src/index.ts";

/**
 * What opening a generation does to lists, flags and history, with arrays for lists and nothing batched.
 * Source: AGE-10..14, AGE-20, CTRL-02, S1-03, S1-04, S1-06.
 */
export class NaiveWindow {
  maxSeq: number;
  readonly minSeq: number[];
  /** Folios head to tail, by [gen][type][zone]. */
  readonly lists: number[][];
  readonly avgTotal: number[];
  readonly avgRefaulted: number[];
  /** Folios that were moved, promoted ones among them. */
  moved = 0;
  private readonly memory: Memory;
  private readonly flags: Int32Array;
  private readonly features: IncMinSeqFeatures;
  private readonly history: { readonly total: number[]; readonly refaulted: number[] };

  /** @param flags flag words as the walk left them; changed in place */
  constructor(memory: Memory, lruvec: Lruvec, flags: Int32Array, features: IncMinSeqFeatures) {
    const { lrugen } = lruvec;
    this.memory = memory;
    this.flags = flags;
    this.features = features;
    this.maxSeq = lrugen.maxSeq;
    this.minSeq = [...lrugen.minSeq];
    this.lists = Array.from({ length: 4 * 2 * MAX_NR_ZONES }, (_, i) => [
      ...memory.lists.walk(lrugen.listHead + i),
    ]);
    this.avgTotal = [...lrugen.avgTotal];
    this.avgRefaulted = [...lrugen.avgRefaulted];
    this.history = {
      total: Array.from(lrugen.protected, (pages, i) => pages + lrugen.evicted[i]!),
      refaulted: [...lrugen.refaulted],
    };
  }

  run(swappiness: number): void {
    for (const type of [0, 1]) {
      if (this.maxSeq - this.minSeq[type]! + 1 < 4) continue;
      const evictable = type === 0 ? swappiness !== 0 : swappiness !== 201;
      const zones = evictable ? MAX_NR_ZONES : 0;
      for (let zone = 0; zone < zones; zone++) this.moveAll(type, zone);
      this.carryOver(type);
      this.minSeq[type]! += 1;
    }
    this.maxSeq += 1;
  }

  private list(gen: number, type: number, zone: number): number[] {
    return this.lists[(gen * 2 + type) * MAX_NR_ZONES + zone]!;
  }

  /** One list of the oldest generation, folio by folio. */
  private moveAll(type: number, zone: number): void {
    const oldGen = this.minSeq[type]! % 4;
    const old = this.list(oldGen, type, zone);
    const order = this.features.headToTail ? [...old] : old.toReversed();
    old.length = 0;
    this.moved += order.length;
    for (const folio of order) {
      const word = this.flags[folio]!;
      const gen = ((word & LRU_GEN_MASK) >> 27) - 1;
      const promoted = gen !== oldGen;
      if (!promoted || !this.features.promotedNotProtected) this.protect(type, folio, word);
      if (promoted) {
        const target = this.list(gen, type, zone);
        if (this.features.promotedAhead) target.unshift(folio);
        else target.push(folio);
      } else {
        const newGen = (oldGen + 1) % 4;
        this.flags[folio] = (word & ~(LRU_GEN_MASK | LRU_REFS_FLAGS)) | ((newGen + 1) << 27);
        this.list(newGen, type, zone).push(folio);
      }
    }
  }

  /** MAP-03..MAP-05. */
  private protect(type: number, folio: number, word: number): void {
    const refs = word & PG_REFERENCED ? ((word & LRU_REFS_MASK) >> LRU_REFS_PGOFF) + 1 : 0;
    const workingset = (word & PG_WORKINGSET) !== 0;
    if (workingset && refs === 4) return;
    const tier = workingset ? 3 : [0, 0, 1, 2, 2][refs]!;
    this.history.total[type * 4 + tier]! += this.memory.folios.nrPagesOf(folio);
  }

  private carryOver(type: number): void {
    for (let i = type * 4; i < type * 4 + 4; i++) {
      this.avgTotal[i] = Math.floor((this.avgTotal[i]! + this.history.total[i]!) / 2);
      this.avgRefaulted[i] = Math.floor((this.avgRefaulted[i]! + this.history.refaulted[i]!) / 2);
    }
  }
}
