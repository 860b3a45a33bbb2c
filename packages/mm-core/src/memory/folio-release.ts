import type { Cpu } from "@lrugen/hardware";
import { NIL } from "../folio/folio-table.ts";
import { PG_ACTIVE, PG_LRU, PG_MLOCKED, PG_RESERVED, PG_UNEVICTABLE } from "../folio/page-flags.ts";
import type { Lruvec } from "../lru/lruvec.ts";
import { UNEVICTABLE_PGCLEARED } from "../stat/vmstat-items.ts";
import type { Memcg } from "../memcg/memcg.ts";
import type { Memory } from "./memory.ts";

/** Folios handled under one call of putRefs: a folio_batch (CONST-18). */
export const FOLIO_BATCH_SIZE: number = 31;

/**
 * Dropping references, and what happens at zero: off the LRU, uncharge, back to the allocator.
 * Source: REL-01, REL-02, REL-09; mm/folio.c:folios_put_refs, __folio_put.
 */
export class FolioRelease {
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** folio_put(): one reference; at most one lock hold (REL-09). */
  put(cpu: Cpu, folio: number): void {
    const { refcount } = this.memory.folios;
    if (--refcount[folio]! > 0) return;
    const lruvec = this.unlist(cpu, folio, null);
    if (lruvec !== null) cpu.release(lruvec.lock);
    this.free(folio);
  }

  /**
   * folios_put_refs(): drops `refs[i]` references of `folios[i]` for the first `count` slots; NIL
   * slots are skipped (REL-01). LRU deletion holds the lock across neighbours of one lruvec
   * (LOCK-04); freeing comes after it. The contents of `folios` are used up.
   */
  putRefs(cpu: Cpu, folios: Int32Array, refs: Int32Array, count: number): void {
    const { refcount } = this.memory.folios;
    let held: Lruvec | null = null;
    let dead = 0;
    for (let i = 0; i < count; i++) {
      const folio = folios[i] as number;
      if (folio === NIL) continue;
      if ((refcount[folio]! -= refs[i] as number) > 0) continue;
      held = this.unlist(cpu, folio, held);
      folios[dead++] = folio;
    }
    if (held !== null) cpu.release(held.lock);
    for (let i = 0; i < dead; i++) this.free(folios[i] as number);
  }

  /**
   * free_unref_folios(): uncharges a folio without references and gives its pages back.
   * @throws Error for a reserved page, or a folio whose references are not 0: freed too early, or
   *   put too often
   */
  free(folio: number): void {
    const { memory } = this;
    const { flags, order, memcg, refcount } = memory.folios;
    if ((flags[folio] as number) & PG_RESERVED) throw new Error("freed a reserved page");
    if (refcount[folio] !== 0) {
      throw new Error(`freed folio ${folio} with ${refcount[folio]} references, expected 0`);
    }
    const pages = memory.folios.nrPagesOf(folio);
    const owner = memory.memcgs[memcg[folio] as number] as Memcg;
    if (pages > 2) memory.deferredSplit.remove(folio);
    if ((flags[folio] as number) & PG_MLOCKED) memory.vmstat.add(UNEVICTABLE_PGCLEARED, pages);
    owner.charged -= pages;
    if (owner.isCounted) owner.memory.uncharge(pages);
    memory.allocator.free(folio, pages === 1 ? 0 : (order[folio] as number));
  }

  /** __page_cache_release(): takes a folio off its LRU list if it is on one, relocking as needed. */
  private unlist(cpu: Cpu, folio: number, held: Lruvec | null): Lruvec | null {
    const { memory } = this;
    const { flags } = memory.folios;
    if (((flags[folio] as number) & PG_LRU) === 0) return held;
    const lruvec = memory.lruvecOf(folio);
    if (lruvec !== held) {
      if (held !== null) cpu.release(held.lock);
      cpu.acquire(lruvec.lock);
    }
    memory.lru.delFolio(lruvec, folio);
    flags[folio]! &= ~(PG_LRU | PG_ACTIVE | PG_UNEVICTABLE);
    return lruvec;
  }
}
