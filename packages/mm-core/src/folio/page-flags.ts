/**
 * The flag word of a page: the kernel's bit numbers of the Debian 7.3 configuration in one Int32.
 *
 * Bits 0..24 are page flags, 25..26 the LRU_REFS field, 27..29 the LRU_GEN field (gen + 1, 0 = not
 * on a multi-gen list). The kernel keeps node and zone above; here they come from the frame number.
 * Bits 30 and 31 are the model's own: they replace the kernel's page type and compound pointer.
 *
 * Source: FOL-01, FOL-02; mglru.md 1.3; include/linux/page-flags.h, page-flags-layout.h.
 */

/** The folio lock; held only inside one kernel path, so never set between two steps. */
export const PG_LOCKED: number = 1 << 0;
/** Being written to its backing store. */
export const PG_WRITEBACK: number = 1 << 1;
/** First access seen; also what makes the LRU_REFS field valid (MAP-03). */
export const PG_REFERENCED: number = 1 << 2;
/** Contents are valid. */
export const PG_UPTODATE: number = 1 << 3;
/** Contents differ from the backing store. */
export const PG_DIRTY: number = 1 << 4;
/** On an LRU list, or counted as unevictable. */
export const PG_LRU: number = 1 << 5;
/** Head page of a large folio. */
export const PG_HEAD: number = 1 << 6;
/** Classic: on or bound for the active list. MGLRU: only while off the lists (MINV-05). */
export const PG_ACTIVE: number = 1 << 8;
/** Judged part of the working set; tier 3. */
export const PG_WORKINGSET: number = 1 << 9;
/** In the swap cache (alias of PG_owner_priv_1, valid with PG_SWAPBACKED). */
export const PG_SWAPCACHE: number = 1 << 10;
/** Per page: mapped by one address space only, may be written without copying. */
export const PG_ANON_EXCLUSIVE: number = 1 << 11;
/** Never given to anyone: the zero page. */
export const PG_RESERVED: number = 1 << 13;
/** Of a file folio: the file system has attached something to it, buffers for one. */
export const PG_PRIVATE: number = 1 << 14;
/** Reclaim as soon as written back, or, on a clean file folio, the readahead mark. */
export const PG_RECLAIM: number = 1 << 16;
/** Of a large anon folio, in its second page: a part of it is not mapped any more (FOL-13). */
export const PG_PARTIALLY_MAPPED: number = 1 << 16;
/** Model only, of a large anon folio, in its second page: it is on a deferred split queue. */
export const PG_DEFERRED_SPLIT: number = 1 << 9;
/** Anon type: backed by swap (FOL-03). */
export const PG_SWAPBACKED: number = 1 << 17;
/** On no scannable list. */
export const PG_UNEVICTABLE: number = 1 << 18;
/** Uncached I/O: access marks are ignored. */
export const PG_DROPBEHIND: number = 1 << 19;
/** Covered by an mlock. */
export const PG_MLOCKED: number = 1 << 20;
/** Idle tracking: was young when its accessed bit was cleared. */
export const PG_YOUNG: number = 1 << 22;
/** Idle tracking: not accessed since marked. */
export const PG_IDLE: number = 1 << 23;

/** Lowest bit of the LRU_REFS field: accesses through file descriptors beyond the first, 0..3. */
export const LRU_REFS_PGOFF: number = 25;
/** LRU_REFS field, 2 bits (CONST-05). */
export const LRU_REFS_MASK: number = 3 << 25;
/** Lowest bit of the LRU_GEN field. */
export const LRU_GEN_PGOFF: number = 27;
/** LRU_GEN field, 3 bits (CONST-04). */
export const LRU_GEN_MASK: number = 7 << 27;
/** LRU_REFS and the bit that makes it valid (FLAG-01). */
export const LRU_REFS_FLAGS: number = LRU_REFS_MASK | PG_REFERENCED;

/** Model only: first page of a free block. */
export const PG_BUDDY: number = 1 << 30;
/** Model only: tail page of a large folio; the sign bit, so `flags[pfn] < 0` asks for it. */
export const PG_TAIL: number = 1 << 31;
