import { MAX_NR_ZONES, PG_LRU, PG_MLOCKED } from "@lrugen/mm-core";
import { folioLruGen, folioTier, isSaturated } from "../../src/index.ts";
import type { Machine } from "../machine.ts";
import { listsOf } from "./random-lists.ts";

/** scan_folios() on plain arrays, written down from the rules (EVT-10, EVT-11, EVT-20). */
export class NaiveScan {
  /** As listsOf(). */
  readonly lists: number[][];
  readonly isolated: number[] = [];
  readonly protected: number[] = [0, 0, 0, 0];
  scanned = 0;
  sortedPages = 0;
  isolatedPages = 0;
  skippedPages = 0;
  looked = 0;
  private readonly m: Machine;
  private readonly type: number;

  constructor(m: Machine, type: number) {
    this.m = m;
    this.type = type;
    this.lists = listsOf(m);
  }

  run(nr: number, tierLimit: number, reclaimIdx: number): void {
    const min = this.m.lruvec.lrugen.minSeq[this.type]!;
    if (this.m.lruvec.lrugen.maxSeq - min + 1 === 2) return;
    const zones = [];
    for (let zone = reclaimIdx; zone >= 0; zone--) zones.push(zone);
    for (let zone = MAX_NR_ZONES - 1; zone > reclaimIdx; zone--) zones.push(zone);
    for (const zone of zones) {
      this.zone(zone, nr, min % 4, tierLimit, reclaimIdx);
      if (this.looked === nr || this.isolatedPages >= 64) return;
    }
  }

  private zone(zone: number, nr: number, gen: number, limit: number, reclaimIdx: number): void {
    const list = this.list(gen, zone);
    const moved: number[] = [];
    let skipped = 0;
    while (list.length > 0) {
      const folio = list.pop()!;
      const pages = this.m.memory.folios.nrPagesOf(folio);
      this.scanned += pages;
      if (this.sort(folio, pages, zone, gen, limit, reclaimIdx)) this.sortedPages += pages;
      else if ((this.m.flags(folio) & PG_LRU) !== 0) {
        this.isolated.unshift(folio);
        this.isolatedPages += pages;
      } else {
        moved.unshift(folio);
        skipped += pages;
      }
      this.looked += 1;
      if (this.looked === nr || Math.max(this.isolatedPages, skipped) >= 64) break;
    }
    list.unshift(...moved);
    this.skippedPages += skipped;
  }

  private sort(
    folio: number,
    pages: number,
    zone: number,
    gen: number,
    limit: number,
    reclaimIdx: number,
  ): boolean {
    const word = this.m.flags(folio);
    if (word & PG_MLOCKED) return false;
    if (folioLruGen(word) !== gen) {
      this.list(folioLruGen(word), zone).unshift(folio);
      return true;
    }
    const tier = folioTier(word);
    if (tier > limit || isSaturated(word)) {
      this.list((gen + 1) % 4, zone).unshift(folio);
      if (!isSaturated(word)) this.protected[tier]! += pages;
      return true;
    }
    if (zone <= reclaimIdx) return false;
    this.list((gen + 1) % 4, zone).push(folio);
    return true;
  }

  private list(gen: number, zone: number): number[] {
    return this.lists[(gen * 2 + this.type) * MAX_NR_ZONES + zone]!;
  }
}
