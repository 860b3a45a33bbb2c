// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  FOLIO_BATCH_SIZE,
  type Lruvec,
  type Memory,
  PG_ACTIVE,
  PG_LRU,
  PG_UNEVICTABLE,
} from "@lrugen/mm-core";
import { LRU_ADD } from "./batch-kinds.ts";
import { type FolioBatch, REFERENCE_A_SLOT } from "./folio-batch.ts";
import { LruMoves } from "./lru-moves.ts";

const CAPACITY = FOLIO_BATCH_SIZE;
const LRU = PG_LRU;
const OFF_LIST_FLAGS = PG_ACTIVE | PG_UNEVICTABLE;
const ADD = LRU_ADD;
const REFS = REFERENCE_A_SLOT;

/**
 * Empties LRU batches: one lock hold for each run of folios of one lruvec (LOCK-04, LOCK-06).
 * Source: BATCH-10..12; mm/folio.c:folio_batch_move_lru.
 */
export class BatchDrain {
  private readonly memory: Memory;
  private readonly moves: LruMoves;
  /** Folios of the batch at hand that nobody but the batch referenced. */
  private readonly dead: Int32Array = new Int32Array(CAPACITY);

  constructor(memory: Memory) {
    this.memory = memory;
    this.moves = new LruMoves(memory);
  }

  /** Applies the batch's move function to its folios, oldest first, and drops its references. */
  drain(cpu: Cpu, batch: FolioBatch): void {
    const { memory, dead } = this;
    const { flags, refcount } = memory.folios;
    const { kind, folios, count } = batch;
    let held: Lruvec | null = null;
    let alive = 0;
    let deaths = 0;
    for (let slot = 0; slot < count; slot++) {
      const folio = folios[slot] as number;
      if (kind === ADD) {
        if (refcount[folio] === 1) {
          refcount[folio] = 0;
          flags[folio]! &= ~OFF_LIST_FLAGS;
          dead[deaths++] = folio;
          continue;
        }
      } else if (((flags[folio] as number) & LRU) === 0) {
        folios[alive++] = folio; // somebody isolated it: only its reference is dropped
        continue;
      }
      flags[folio]! &= ~LRU;
      folios[alive++] = folio;
      const lruvec = memory.lruvecOf(folio);
      if (lruvec !== held) {
        if (held !== null) cpu.release(held.lock);
        cpu.acquire(lruvec.lock);
        held = lruvec;
      }
      this.moves.apply(kind, lruvec, folio);
      flags[folio]! |= LRU;
    }
    if (held !== null) cpu.release(held.lock);
    batch.count = 0;
    for (let i = 0; i < deaths; i++) memory.release.free(dead[i] as number);
    if (alive > 0) memory.release.putRefs(cpu, folios, REFS, alive);
  }
}
