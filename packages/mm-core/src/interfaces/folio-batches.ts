import type { Cpu } from "@lrugen/hardware";
import type { Vma } from "../address-space/vma.ts";
import type { Task } from "../memory/task.ts";

/**
 * The per-CPU folio batches in front of the LRU lists (the kernel's cpu_fbatches).
 * Source: chapter 2 of the core rules; mm/folio.c, mm/mlock.c.
 */
export interface FolioBatches {
  /** folio_add_lru() (BATCH-20). */
  add(task: Task, folio: number): void;
  /** folio_add_lru_vma(): as add, or to the mlock batch in a locked VMA (BATCH-21). */
  addVma(task: Task, folio: number, vma: Vma): void;
  /** folio_activate(). */
  activate(cpu: Cpu, folio: number): void;
  /** folio_deactivate(): MADV_COLD. */
  deactivate(cpu: Cpu, folio: number): void;
  /** deactivate_file_folio(): invalidation failed. */
  deactivateFile(cpu: Cpu, folio: number): void;
  /** folio_mark_lazyfree(): MADV_FREE. */
  lazyFree(cpu: Cpu, folio: number): void;
  /** folio_rotate_reclaimable(): writeback of a PG_reclaim folio ended. */
  rotate(cpu: Cpu, folio: number): void;
  /** mlock_folio(): a mapped folio of a locked VMA. */
  mlock(cpu: Cpu, folio: number): void;
  /** munlock_folio(). */
  munlock(cpu: Cpu, folio: number): void;
  /** mark_page_lazyfree's sibling for lru_add: whether a folio waits in this CPU's lru_add batch. */
  inAddBatch(cpu: Cpu, folio: number): boolean;
  /** mlock_drain_local(): the mlock batch of one CPU. */
  drainMlock(cpu: Cpu): void;
  /** lru_add_drain(): every batch of one CPU (BATCH-15). */
  drain(cpu: Cpu): void;
  /** lru_add_drain_all(): the caller's CPU first, then the others (BATCH-16). */
  drainAll(local?: Cpu): void;
  /** lru_cache_drain_for_folio(): until the folio has no more than its expected and `extra` references (BATCH-40). */
  drainForFolio(cpu: Cpu, folio: number, extra: number): void;
}
