// @hot
import type { Cpu } from "@lrugen/hardware";
import type { FolioTable } from "../folio/folio-table.ts";
import { PG_ACTIVE, PG_LRU, PG_MLOCKED, PG_UNEVICTABLE } from "../folio/page-flags.ts";
import { NIL } from "../folio/folio-table.ts";
import type { Lruvec } from "../lru/lruvec.ts";
import { ageNonresident } from "../lru/nonresident-age.ts";
import { FOLIO_BATCH_SIZE } from "./folio-release.ts";
import type { Memory } from "./memory.ts";
import type { Task } from "./task.ts";

const SLOTS_OF_A_BATCH = FOLIO_BATCH_SIZE;
const NONE = NIL;
const ACTIVE = PG_ACTIVE;
const LRU = PG_LRU;
const LRU_FLAGS = PG_LRU | PG_ACTIVE | PG_UNEVICTABLE;
const MLOCKED = PG_MLOCKED;
const BATCH_SIZE = SLOTS_OF_A_BATCH;

/**
 * Folios taken off their LRU list for a while, and put back. An isolated folio has one reference more
 * and no PG_lru; its list link belongs to who isolated it.
 * Source: DEL-04, CLS-23, EVT-45; mm/vmscan.c, mm/folio.c.
 */
export class LruPutback {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  /** Folios whose last reference was that of the isolation. */
  private readonly dead: Int32Array = new Int32Array(SLOTS_OF_A_BATCH);
  private nrDead = 0;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
  }

  /** folio_evictable(): neither mlocked nor of a mapping that is marked unevictable (FOL-06). */
  isEvictable(folio: number): boolean {
    if ((this.folios.flags[folio] as number) & MLOCKED) return false;
    return this.memory.fileOf(folio)?.unevictable !== true;
  }

  /** folio_isolate_lru(). @returns false = it is on no list, nothing was done (DEL-04) */
  isolate(cpu: Cpu, folio: number): boolean {
    const { flags, refcount } = this.folios;
    if (((flags[folio] as number) & LRU) === 0) return false;
    flags[folio]! &= ~LRU;
    refcount[folio]! += 1;
    const lruvec = this.memory.lruvecOf(folio);
    cpu.acquire(lruvec.lock);
    this.memory.lru.delFolio(lruvec, folio);
    cpu.release(lruvec.lock);
    return true;
  }

  /** folio_putback_lru(): through the batches, as a new folio; the isolation reference is dropped. */
  putback(task: Task, folio: number): void {
    this.memory.batches.add(task, folio);
    this.memory.release.put(task.cpu, folio);
  }

  /**
   * move_folios_to_lru(): empties a private list from its tail, each folio to the hot end of its LRU
   * list. What only the isolation kept alive is freed, 31 at a time; what became unevictable goes
   * through the batches.
   * @param list head of the list
   */
  moveToLru(task: Task, list: number): void {
    const { lists, lru } = this.memory;
    const { flags, refcount } = this.folios;
    const { cpu } = task;
    let held: Lruvec | null = null;
    for (let folio = lists.tail(list); folio !== NONE; folio = lists.tail(list)) {
      lists.del(folio);
      if (!this.isEvictable(folio)) {
        if (held !== null) cpu.release(held.lock);
        held = null;
        this.putback(task, folio);
        continue;
      }
      held = this.relock(cpu, folio, held);
      flags[folio]! |= LRU;
      if (--refcount[folio]! > 0) {
        lru.addFolio(held, folio, false);
        // A generation takes PG_active off: this is for the classic lists only.
        if ((flags[folio] as number) & ACTIVE) ageNonresident(held, this.folios.nrPagesOf(folio));
        continue;
      }
      flags[folio]! &= ~LRU_FLAGS;
      if (!this.bury(folio)) continue;
      cpu.release(held.lock);
      held = null;
      this.freeDead();
    }
    if (held !== null) cpu.release(held.lock);
    this.freeDead();
  }

  /** Queues a folio without references to be freed. @returns whether the batch is full */
  private bury(folio: number): boolean {
    this.dead[this.nrDead++] = folio;
    return this.nrDead === BATCH_SIZE;
  }

  private freeDead(): void {
    for (let i = 0; i < this.nrDead; i++) this.memory.release.free(this.dead[i] as number);
    this.nrDead = 0;
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
