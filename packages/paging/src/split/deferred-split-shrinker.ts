import type { Cpu } from "@lrugen/hardware";
import type { Memcg, Memory } from "@lrugen/mm-core";
import { NIL, PG_PARTIALLY_MAPPED } from "@lrugen/mm-core";
import type { SplitFolio } from "./split-folio.ts";

/**
 * The shrinker of the deferred split queues: splits folios of which a part is not mapped any more, so
 * that the part can be freed. Folios queued when they were faulted in would be split for being mostly
 * zeroes; with the default max_ptes_none of 511 none ever is, so they only leave the queue.
 * Source: SPLIT-06; mm/huge_memory.c:deferred_split_count, deferred_split_scan.
 */
export class DeferredSplitShrinker {
  private readonly memory: Memory;
  private readonly splitFolio: SplitFolio;

  constructor(memory: Memory, splitFolio: SplitFolio) {
    this.memory = memory;
    this.splitFolio = splitFolio;
  }

  /** deferred_split_count(): folios that scan() could look at. */
  count(memcg: Memcg, node: number): number {
    return this.memory.deferredSplit.length(memcg.index, node);
  }

  /**
   * deferred_split_scan(): looks at the oldest `nr` folios of a queue.
   * @returns folios split; −1 = SHRINK_STOP, there was nothing to look at
   */
  scan(cpu: Cpu, memcg: Memcg, node: number, nr: number): number {
    const { deferredSplit, folios, release } = this.memory;
    let split = 0;
    // Folios that go back to the queue are not looked at twice.
    const most = Math.min(nr, this.count(memcg, node));
    for (let i = 0; i < most; i++) {
      const folio = deferredSplit.shift(memcg.index, node);
      if (folio === NIL) break;
      if (!deferredSplit.isPartiallyMapped(folio)) continue;
      folios.refcount[folio]! += 1;
      if (this.splitFolio.split(cpu, folio, NIL) === 0) {
        split += 1;
      } else {
        folios.flags[folio + 1]! |= PG_PARTIALLY_MAPPED;
        deferredSplit.add(folio, node);
      }
      release.put(cpu, folio);
    }
    return most === 0 ? -1 : split;
  }
}
