/**
 * Names of the event counters the model keeps, in the order of /proc/vmstat.
 * A counter is a global total; those that memory.stat shows too are also kept per memcg (CNT-01..12,
 * STATN-01). Units: pages unless the comment says otherwise.
 */
export const VMSTAT_ITEMS: readonly string[] = [
  "workingset_nodes", // tree nodes (PGC-07)
  "workingset_refault_anon",
  "workingset_refault_file",
  "workingset_activate_anon",
  "workingset_activate_file",
  "workingset_restore_anon",
  "workingset_restore_file",
  "workingset_nodereclaim", // tree nodes
  "nr_vmscan_write",
  "nr_vmscan_immediate_reclaim",
  "pgsteal_kswapd",
  "pgsteal_direct",
  "pgsteal_khugepaged",
  "pgsteal_proactive",
  "pgsteal_anon",
  "pgsteal_file",
  "pgscan_kswapd",
  "pgscan_direct",
  "pgscan_khugepaged",
  "pgscan_proactive",
  "pgscan_anon",
  "pgscan_file",
  "pgrotate_anon",
  "pgrotate_file",
  "pgrefill",
  "pswpin",
  "pswpout",
  "pgskip_dma",
  "pgskip_dma32",
  "pgskip_normal",
  "pgskip_movable",
  "pgskip_device",
  "swpin_zero",
  "swpout_zero",
  "pgactivate",
  "pgdeactivate",
  "pglazyfree",
  "pgfault", // faults
  "pgmajfault", // faults
  "pglazyfreed",
  "pgrotated",
  "unevictable_pgs_culled",
  "unevictable_pgs_rescued",
  "unevictable_pgs_mlocked",
  "unevictable_pgs_munlocked",
  "unevictable_pgs_cleared",
  "unevictable_pgs_stranded",
  "thp_fault_alloc", // faults (CNT-01)
  "thp_fault_fallback", // attempts (CNT-02)
  "thp_fault_fallback_charge", // attempts
  "thp_file_mapped", // PMDs
  "thp_split_page", // folios (SPLIT-05)
  "thp_split_page_failed", // folios
  "thp_deferred_split_page", // folios (FOL-13)
  "thp_split_pmd", // PMDs (CNT-04)
  "thp_zero_page_alloc", // allocations (CNT-05)
  "thp_swpout", // folios (CNT-03)
  "thp_swpout_fallback", // folios (SFL-12)
];

const ids: ReadonlyMap<string, number> = new Map(VMSTAT_ITEMS.map((name, id) => [name, id]));

/**
 * Index of a counter.
 * @throws RangeError for a name that is not kept
 */
export function vmstatId(name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new RangeError(`unknown vmstat counter ${name}`);
  return id;
}

/** nr_vmscan_write: written by reclaim (CNT-08), pages. */
export const NR_VMSCAN_WRITE: number = vmstatId("nr_vmscan_write");
/** nr_vmscan_immediate_reclaim: dirty file folios that reclaim met (SFL-14), pages. */
export const NR_VMSCAN_IMMEDIATE: number = vmstatId("nr_vmscan_immediate_reclaim");
/** pgactivate: folios made active, pages. */
export const PGACTIVATE: number = vmstatId("pgactivate");
/** pgdeactivate, pages. */
export const PGDEACTIVATE: number = vmstatId("pgdeactivate");
/** pglazyfree: MADV_FREE folios drained (CNT-10), pages. */
export const PGLAZYFREE: number = vmstatId("pglazyfree");
/** pglazyfreed: MADV_FREE folios freed by reclaim (CNT-11), pages. */
export const PGLAZYFREED: number = vmstatId("pglazyfreed");
/** pgfault: every fault of a task, in its memcg too. */
export const PGFAULT: number = vmstatId("pgfault");
/** pgmajfault: those that had to read. */
export const PGMAJFAULT: number = vmstatId("pgmajfault");
/** pgrotated: moved to the inactive tail (CNT-09), pages. */
export const PGROTATED: number = vmstatId("pgrotated");
/** unevictable_pgs_culled: found unevictable at the drain, pages. */
export const UNEVICTABLE_PGCULLED: number = vmstatId("unevictable_pgs_culled");
/** unevictable_pgs_rescued: became evictable again, pages. */
export const UNEVICTABLE_PGRESCUED: number = vmstatId("unevictable_pgs_rescued");
/** unevictable_pgs_mlocked, pages. */
export const UNEVICTABLE_PGMLOCKED: number = vmstatId("unevictable_pgs_mlocked");
/** unevictable_pgs_munlocked: munlocked while on the LRU, pages. */
export const UNEVICTABLE_PGMUNLOCKED: number = vmstatId("unevictable_pgs_munlocked");
/** unevictable_pgs_cleared: freed while mlocked, pages. */
export const UNEVICTABLE_PGCLEARED: number = vmstatId("unevictable_pgs_cleared");
/** unevictable_pgs_stranded: munlocked but isolated by someone else, pages. */
export const UNEVICTABLE_PGSTRANDED: number = vmstatId("unevictable_pgs_stranded");
/** thp_file_mapped: page-cache folios mapped by a PMD entry, entries. */
export const THP_FILE_MAPPED: number = vmstatId("thp_file_mapped");
/** thp_fault_alloc, faults (CNT-01). */
export const THP_FAULT_ALLOC: number = vmstatId("thp_fault_alloc");
/** thp_fault_fallback, attempts (CNT-02). */
export const THP_FAULT_FALLBACK: number = vmstatId("thp_fault_fallback");
/** thp_split_page: folios of 2 MiB split (SPLIT-05). */
export const THP_SPLIT_PAGE: number = vmstatId("thp_split_page");
/** thp_split_page_failed. */
export const THP_SPLIT_PAGE_FAILED: number = vmstatId("thp_split_page_failed");
/** thp_swpout_fallback: folios of 2 MiB that got no slots in a row (SFL-12). */
export const THP_SWPOUT_FALLBACK: number = vmstatId("thp_swpout_fallback");
/** thp_fault_fallback_charge: those of them that a memcg's limit did not allow. */
export const THP_FAULT_FALLBACK_CHARGE: number = vmstatId("thp_fault_fallback_charge");
/** thp_deferred_split_page: 2 MiB folios of which only a part is mapped any more (FOL-13). */
export const THP_DEFERRED_SPLIT_PAGE: number = vmstatId("thp_deferred_split_page");
/** thp_split_pmd, PMDs (CNT-04). */
export const THP_SPLIT_PMD: number = vmstatId("thp_split_pmd");
/** pswpin: read from the swap device (CNT-07), pages. */
export const PSWPIN: number = vmstatId("pswpin");
/** pswpout: written to the swap device (CNT-06), pages. */
export const PSWPOUT: number = vmstatId("pswpout");
/** swpin_zero: swapped in without a read, as the slot is marked as zeroes, pages. */
export const SWPIN_ZERO: number = vmstatId("swpin_zero");
/** swpout_zero: swapped out without a write, as the folio holds nothing but zeroes, pages. */
export const SWPOUT_ZERO: number = vmstatId("swpout_zero");
/** thp_swpout, 2 MiB folios written to swap whole (CNT-03). */
export const THP_SWPOUT: number = vmstatId("thp_swpout");
/** thp_zero_page_alloc, allocations of the huge zero folio (CNT-05). */
export const THP_ZERO_PAGE_ALLOC: number = vmstatId("thp_zero_page_alloc");
