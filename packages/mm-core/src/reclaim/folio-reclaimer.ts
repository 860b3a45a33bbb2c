import type { Mm } from "../address-space/mm.ts";
import type { Vma } from "../address-space/vma.ts";
import type { Memcg } from "../memcg/memcg.ts";
import type { Task } from "../memory/task.ts";
import type { ScanControl } from "./scan-control.ts";

/** What a reference check says of a folio (CLS-10, EVT-60). */
export type ReferenceVerdict = "reclaim" | "keep" | "activate";

/**
 * One mapping found by a reverse-map walk: `nr` consecutive PTEs of a folio, or one PMD leaf.
 * Reused by the walk: valid until it goes on.
 */
export interface FolioMapping {
  readonly mm: Mm;
  readonly vma: Vma;
  /** Virtual page of the first entry. */
  readonly vpn: number;
  /** Slot of the first entry in PageTables.entries. */
  readonly slot: number;
  /** Slot of the PMD entry above it; the entry itself for a PMD leaf. */
  readonly pmdSlot: number;
  /** PTEs; 0 = a PMD leaf. */
  readonly nr: number;
}

/**
 * The part of reclaim that needs no policy, as policies call it. @lrugen/paging implements it.
 * Source: chapter 8.6 of the core rules, EVT-60; mm/vmscan.c.
 */
export interface FolioReclaimer {
  /**
   * shrink_folio_list(): tries to free the isolated folios of a private list, from its tail.
   * Survivors are left on the list so that its tail is the one processed first; PG_active says
   * "activate".
   * @param list head of the list; its folios have one isolation reference each and no PG_lru
   * @param ignoreReferences accessed or not, out with them (MADV_PAGEOUT)
   * @returns pages freed
   */
  shrinkFolioList(sc: ScanControl, list: number, ignoreReferences: boolean): number;

  /**
   * mem_cgroup_get_nr_swap_pages(), for can_reclaim_anon_pages() and get_swappiness(): pages that
   * anonymous memory may go to (TRIG-02).
   * @param memcg whose swap limits count too; null or none = the machine
   */
  freeSwapPages(memcg?: Memcg | null): number;

  /**
   * Whether every managed zone of the node up to `reclaimIdx` has its high watermark and 64 pages
   * more free: kswapd may stop (STOP-01).
   */
  isBalanced(node: number, reclaimIdx: number): boolean;

  /** shrink_slab(): what kernel objects of one memcg can be freed, at the reclaim's priority (SHR-06). */
  shrinkSlab(sc: ScanControl, node: number, memcg: Memcg): void;

  /** out_of_memory() in nobody's name: all memory in use is younger than min_ttl_ms (TTL-04). */
  outOfMemory(task: Task): void;

  /** wakeup_flusher_threads(): all that was isolated is dirty and nobody writes it (EVT-40). */
  wakeFlushers(): void;

  /** folio_evictable(): neither mlocked nor of an unevictable mapping (FOL-06). */
  isEvictable(folio: number): boolean;
}
