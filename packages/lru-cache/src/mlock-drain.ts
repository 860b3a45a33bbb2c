import type { Cpu } from "@lrugen/hardware";
import {
  type FolioTable,
  type Lruvec,
  type Memory,
  PG_ACTIVE,
  PG_LRU,
  PG_MLOCKED,
  PG_UNEVICTABLE,
  UNEVICTABLE_PGCULLED,
  UNEVICTABLE_PGMUNLOCKED,
  UNEVICTABLE_PGRESCUED,
  UNEVICTABLE_PGSTRANDED,
} from "@lrugen/mm-core";
import { folioEvictable } from "./evictable.ts";
import { REFERENCE_A_SLOT } from "./folio-batch.ts";
import { MLOCK_LRU_TAG, MLOCK_NEW_TAG, type MlockBatch } from "./mlock-batch.ts";

/**
 * Empties mlock batches: moves folios between the LRU lists and the unevictable count.
 *
 * mlock_count, the number of mlocks an unevictable folio is under, lives in the folio's `prev` link,
 * which is free while the folio is counted but not linked (FOL-05).
 *
 * Source: BATCH-32, REF-29; mm/mlock.c:mlock_folio_batch.
 */
export class MlockDrain {
  private readonly memory: Memory;
  private readonly folios: FolioTable;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
  }

  /** Processes the slots, oldest first, under one lock hold for each run of one lruvec. */
  drain(cpu: Cpu, batch: MlockBatch): void {
    const { folios, tags, count } = batch;
    let held: Lruvec | null = null;
    for (let slot = 0; slot < count; slot++) {
      const folio = folios[slot] as number;
      const tag = tags[slot];
      if (tag === MLOCK_LRU_TAG) held = this.mlock(cpu, folio, held);
      else if (tag === MLOCK_NEW_TAG) held = this.mlockNew(cpu, folio, held);
      else held = this.munlock(cpu, folio, held);
    }
    if (held !== null) cpu.release(held.lock);
    batch.count = 0;
    if (count > 0) this.memory.release.putRefs(cpu, folios, REFERENCE_A_SLOT, count);
  }

  /** __mlock_folio(): skipped when somebody isolated the folio. */
  private mlock(cpu: Cpu, folio: number, held: Lruvec | null): Lruvec | null {
    const { flags, prev } = this.folios;
    const word = flags[folio] as number;
    if ((word & PG_LRU) === 0) return held;
    flags[folio]! &= ~PG_LRU;
    const lruvec = this.relock(cpu, folio, held);
    if (folioEvictable(this.folios, folio)) {
      // Munlocked since, on another CPU.
      if (word & PG_UNEVICTABLE) this.rescue(lruvec, folio);
    } else if (word & PG_UNEVICTABLE) {
      if (word & PG_MLOCKED) prev[folio]! += 1;
    } else {
      this.memory.lru.delFolio(lruvec, folio);
      flags[folio]! &= ~PG_ACTIVE;
      this.cull(lruvec, folio);
    }
    flags[folio]! |= PG_LRU;
    return lruvec;
  }

  /** __mlock_new_folio(): the folio was not on the LRU before. */
  private mlockNew(cpu: Cpu, folio: number, held: Lruvec | null): Lruvec {
    const lruvec = this.relock(cpu, folio, held);
    if (folioEvictable(this.folios, folio)) this.memory.lru.addFolio(lruvec, folio, false);
    else this.cull(lruvec, folio);
    this.folios.flags[folio]! |= PG_LRU;
    return lruvec;
  }

  /** __munlock_folio(): the last munlock of a folio makes it evictable. */
  private munlock(cpu: Cpu, folio: number, held: Lruvec | null): Lruvec | null {
    const { flags } = this.folios;
    if (((flags[folio] as number) & PG_LRU) === 0) {
      this.clearMlocked(folio, UNEVICTABLE_PGSTRANDED);
      return held;
    }
    flags[folio]! &= ~PG_LRU;
    const lruvec = this.relock(cpu, folio, held);
    const unevictable = ((flags[folio] as number) & PG_UNEVICTABLE) !== 0;
    if (!unevictable || this.dropMlockCount(folio) === 0) {
      this.clearMlocked(folio, UNEVICTABLE_PGMUNLOCKED);
      if (unevictable && folioEvictable(this.folios, folio)) this.rescue(lruvec, folio);
    }
    flags[folio]! |= PG_LRU;
    return lruvec;
  }

  /** One mlock of an unevictable folio less. @returns those left */
  private dropMlockCount(folio: number): number {
    const { prev } = this.folios;
    const left = Math.max((prev[folio] as number) - 1, 0);
    prev[folio] = left;
    return left;
  }

  /** Clears PG_mlocked if it is set, and counts that under `event`. */
  private clearMlocked(folio: number, event: number): void {
    const { flags } = this.folios;
    if (((flags[folio] as number) & PG_MLOCKED) === 0) return;
    flags[folio]! &= ~PG_MLOCKED;
    this.memory.vmstat.add(event, this.folios.nrPagesOf(folio));
  }

  /** A folio, off every list, becomes unevictable and is counted as that. */
  private cull(lruvec: Lruvec, folio: number): void {
    const { flags, prev } = this.folios;
    flags[folio]! |= PG_UNEVICTABLE;
    prev[folio] = (flags[folio] as number) & PG_MLOCKED ? 1 : 0;
    this.memory.lru.addFolio(lruvec, folio, false);
    this.memory.vmstat.add(UNEVICTABLE_PGCULLED, this.folios.nrPagesOf(folio));
  }

  /** An unevictable folio goes back to the lists. */
  private rescue(lruvec: Lruvec, folio: number): void {
    const { memory } = this;
    memory.lru.delFolio(lruvec, folio);
    this.folios.flags[folio]! &= ~PG_UNEVICTABLE;
    memory.lru.addFolio(lruvec, folio, false);
    memory.vmstat.add(UNEVICTABLE_PGRESCUED, this.folios.nrPagesOf(folio));
  }

  /** folio_lruvec_relock_irq() (LOCK-04). */
  private relock(cpu: Cpu, folio: number, held: Lruvec | null): Lruvec {
    const lruvec = this.memory.lruvecOf(folio);
    if (lruvec === held) return lruvec;
    if (held !== null) cpu.release(held.lock);
    cpu.acquire(lruvec.lock);
    return lruvec;
  }
}
