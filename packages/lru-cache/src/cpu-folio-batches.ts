// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  type FolioBatches,
  type FolioTable,
  type Memory,
  PG_ACTIVE,
  PG_DIRTY,
  PG_HEAD,
  PG_LOCKED,
  PG_LRU,
  PG_MLOCKED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  type Task,
  UNEVICTABLE_PGMLOCKED,
  type Vma,
  VM_LOCKED,
  VM_SPECIAL,
} from "@lrugen/mm-core";
import { BatchDrain } from "./batch-drain.ts";
import { LRU_BATCH_NAMES, type LruBatchName } from "./batch-kinds.ts";
import { CpuBatches } from "./cpu-batches.ts";
import type { FolioBatch } from "./folio-batch.ts";
import { MLOCK_LRU_TAG, MLOCK_NEW_TAG, MUNLOCK_TAG } from "./mlock-batch.ts";
import { MlockDrain } from "./mlock-drain.ts";

const HEAD = PG_HEAD;
const LRU = PG_LRU;
const ACTIVE = PG_ACTIVE;
const UNEVICTABLE = PG_UNEVICTABLE;
const MLOCKED = PG_MLOCKED;
const SWAPBACKED = PG_SWAPBACKED;
const LAZYFREE_TEST = PG_SWAPBACKED | PG_SWAPCACHE | PG_LRU | PG_UNEVICTABLE;
const ROTATE_TEST = PG_LOCKED | PG_DIRTY | PG_LRU | PG_UNEVICTABLE;
const LOCKED_VMA = VM_LOCKED;
const LOCKED_VMA_TEST = VM_LOCKED | VM_SPECIAL;
const NAMES = LRU_BATCH_NAMES;
const MLOCK = MLOCK_LRU_TAG;
const MLOCK_NEW = MLOCK_NEW_TAG;
const MUNLOCK = MUNLOCK_TAG;
const COUNT_MLOCKED = UNEVICTABLE_PGMLOCKED;

/**
 * The per-CPU folio batches: folios queue here, 31 at a time, so that the lruvec lock is taken once for
 * many of them.
 *
 * A folio that waits in an `lru_add` batch has no PG_lru and is on no list: aging and reclaim do not see
 * it (BATCH-34). Large folios never wait: adding one drains its batch (BATCH-06).
 *
 * Source: BATCH-01..40; mm/folio.c, mm/mlock.c.
 */
export class CpuFolioBatches implements FolioBatches {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly perCpu: readonly CpuBatches[];
  private readonly batchDrain: BatchDrain;
  private readonly mlockDrain: MlockDrain;
  /** lru_disable_count: above 0 nothing stays in a batch (BATCH-07). */
  private disableCount = 0;

  /** @param memory the machine; its `install` must be given this object */
  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
    this.perCpu = memory.hw.cpus.map(() => new CpuBatches());
    this.batchDrain = new BatchDrain(memory);
    this.mlockDrain = new MlockDrain(memory);
  }

  /**
   * folio_add_lru(): marks the folio as the policy wants it, then queues it (BATCH-20).
   * @throws Error if it is on the LRU already
   */
  add(task: Task, folio: number): void {
    if ((this.folios.flags[folio] as number) & LRU)
      throw new Error("added a folio that has PG_lru");
    this.memory.lru.active.beforeAdd(folio, task.inLruFault && !task.reclaiming);
    this.addAndMove(task.cpu, this.of(task.cpu).lruAdd, folio);
  }

  /** folio_add_lru_vma(): a fresh folio of a mapping; in a locked one it goes the mlock way (BATCH-21). */
  addVma(task: Task, folio: number, vma: Vma): void {
    if ((vma.flags & LOCKED_VMA_TEST) !== LOCKED_VMA) {
      this.add(task, folio);
      return;
    }
    this.setMlocked(folio);
    this.addToMlockBatch(task.cpu, folio, MLOCK_NEW);
  }

  /** folio_activate(). Nothing happens to an active, unevictable or isolated folio. */
  activate(cpu: Cpu, folio: number): void {
    const word = this.folios.flags[folio] as number;
    if ((word & (LRU | ACTIVE | UNEVICTABLE)) !== LRU) return;
    this.addAndMove(cpu, this.of(cpu).lruActivate, folio);
  }

  /** folio_deactivate(), for MADV_COLD. Forgets accesses; may find no move needed (BATCH-25). */
  deactivate(cpu: Cpu, folio: number): void {
    const { lru } = this.memory;
    const word = this.folios.flags[folio] as number;
    if ((word & (LRU | UNEVICTABLE)) !== LRU) return;
    if (!lru.coreEnabled && (word & ACTIVE) === 0) return;
    if (lru.active.clearRefs(this.memory.lruvecOf(folio), folio)) return;
    this.addAndMove(cpu, this.of(cpu).lruDeactivate, folio);
  }

  /** deactivate_file_folio(): the page cache could not drop the folio, so it should go soon. */
  deactivateFile(cpu: Cpu, folio: number): void {
    const word = this.folios.flags[folio] as number;
    if ((word & (LRU | UNEVICTABLE)) !== LRU) return;
    if (this.memory.lru.active.clearRefs(this.memory.lruvecOf(folio), folio)) return;
    this.addAndMove(cpu, this.of(cpu).lruDeactivateFile, folio);
  }

  /** folio_mark_lazyfree(), for MADV_FREE: anonymous folios outside the swap cache only. */
  lazyFree(cpu: Cpu, folio: number): void {
    const { flags, mapping } = this.folios;
    if (((mapping[folio] as number) & 1) === 0) return;
    if (((flags[folio] as number) & LAZYFREE_TEST) !== (SWAPBACKED | LRU)) return;
    this.addAndMove(cpu, this.of(cpu).lruLazyfree, folio);
  }

  /** folio_rotate_reclaimable(): writeback of a PG_reclaim folio ended. */
  rotate(cpu: Cpu, folio: number): void {
    if (((this.folios.flags[folio] as number) & ROTATE_TEST) !== LRU) return;
    this.addAndMove(cpu, this.of(cpu).lruMoveTail, folio);
  }

  /** mlock_folio(): PG_mlocked now, off the lists at the drain. */
  mlock(cpu: Cpu, folio: number): void {
    this.setMlocked(folio);
    this.addToMlockBatch(cpu, folio, MLOCK);
  }

  /** munlock_folio(): everything, PG_mlocked included, waits for the drain. */
  munlock(cpu: Cpu, folio: number): void {
    this.addToMlockBatch(cpu, folio, MUNLOCK);
  }

  /** Whether a folio waits in this CPU's `lru_add` batch (BATCH-30). */
  inAddBatch(cpu: Cpu, folio: number): boolean {
    return this.of(cpu).lruAdd.has(folio);
  }

  /** mlock_drain_local(): the mlock batch alone. */
  drainMlock(cpu: Cpu): void {
    this.mlockDrain.drain(cpu, this.of(cpu).mlock);
  }

  /** lru_add_drain(): all batches of one CPU (BATCH-15). */
  drain(cpu: Cpu): void {
    const batches = this.of(cpu);
    for (const batch of batches.drainOrder) {
      if (batch.count > 0) this.batchDrain.drain(cpu, batch);
    }
    this.mlockDrain.drain(cpu, batches.mlock);
  }

  /**
   * lru_add_drain_all(): the caller's CPU, then every other one that has something (BATCH-16). The kernel
   * drains the others at the same time; here it is in ascending order.
   *
   * @param local the caller's CPU; without it the order is ascending
   */
  drainAll(local?: Cpu): void {
    if (local !== undefined) this.drain(local);
    for (const cpu of this.memory.hw.cpus) {
      if (!this.of(cpu).isEmpty) this.drain(cpu);
    }
  }

  /**
   * lru_cache_drain_for_folio(): drains this CPU, then all, as long as the folio has other references
   * than the expected and `extra` ones. Nothing for folios that never wait (BATCH-40).
   */
  drainForFolio(cpu: Cpu, folio: number, extra: number): void {
    if (!this.mayBeCached(folio)) return;
    const { refcount } = this.folios;
    if (refcount[folio] === this.folios.expectedRefCountOf(folio) + extra) return;
    this.drain(cpu);
    if (refcount[folio] === this.folios.expectedRefCountOf(folio) + extra) return;
    this.drainAll(cpu);
  }

  /** lru_cache_disable(): from now on every add drains at once, and what waits is drained (BATCH-07). */
  disable(local?: Cpu): void {
    this.disableCount += 1;
    this.drainAll(local);
  }

  /**
   * lru_cache_enable(): undoes one disable().
   * @throws Error if none is in effect
   */
  enable(): void {
    if (this.disableCount === 0) throw new Error("the folio batches are not disabled");
    this.disableCount -= 1;
  }

  /**
   * What waits in one batch, for dumps and checks.
   * @returns folios, oldest first
   * @throws RangeError for a CPU or batch that does not exist
   */
  slots(cpuId: number, name: LruBatchName): number[] {
    const batch = this.perCpu[cpuId]?.byKind[NAMES.indexOf(name)];
    if (batch === undefined) throw new RangeError(`no folio batch ${name} of CPU ${cpuId}`);
    return [...batch.folios.subarray(0, batch.count)];
  }

  /** Slots, of all CPUs and batches, mlock included, that hold a folio: the references batches have on it. */
  slotsOf(folio: number): number {
    let slots = 0;
    for (const batches of this.perCpu) slots += batches.slotsOf(folio);
    return slots;
  }

  /** Whether nothing waits on a CPU, in the mlock batch neither. */
  isEmpty(cpuId: number): boolean {
    return this.perCpu[cpuId]?.isEmpty ?? true;
  }

  /** folio_batch_add_and_move() (BATCH-05). */
  private addAndMove(cpu: Cpu, batch: FolioBatch, folio: number): void {
    this.folios.refcount[folio]! += 1;
    const left = batch.add(folio);
    if (this.mustDrain(folio, left)) this.batchDrain.drain(cpu, batch);
  }

  private addToMlockBatch(cpu: Cpu, folio: number, tag: number): void {
    const { mlock } = this.of(cpu);
    this.folios.refcount[folio]! += 1;
    const left = mlock.add(folio, tag);
    if (this.mustDrain(folio, left)) this.mlockDrain.drain(cpu, mlock);
  }

  /** Whether a batch that has `left` free slots after this folio was added must be drained now. */
  private mustDrain(folio: number, left: number): boolean {
    return left === 0 || !this.mayBeCached(folio) || this.disableCount > 0;
  }

  /** folio_may_be_lru_cached(): order 0 (BATCH-06). */
  private mayBeCached(folio: number): boolean {
    return ((this.folios.flags[folio] as number) & HEAD) === 0;
  }

  private setMlocked(folio: number): void {
    const { flags } = this.folios;
    if ((flags[folio] as number) & MLOCKED) return;
    flags[folio]! |= MLOCKED;
    this.memory.vmstat.add(COUNT_MLOCKED, this.folios.nrPagesOf(folio));
  }

  private of(cpu: Cpu): CpuBatches {
    return this.perCpu[cpu.id] as CpuBatches;
  }
}
