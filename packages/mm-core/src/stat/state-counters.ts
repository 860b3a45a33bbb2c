/**
 * Counters that go up and down, in pages, kept per memcg and summed upwards for memory.stat.
 * Names are those of memory.stat, which prints them in bytes.
 */
export const STATE_ITEMS: readonly string[] = [
  "anon",
  "file",
  "shmem",
  "file_mapped",
  "file_dirty",
  "file_writeback",
  "swapcached",
  "anon_thp",
  "file_thp",
  "shmem_thp",
];

/** NR_ANON_MAPPED: anonymous pages that some page table maps. */
export const STATE_ANON: number = 0;
/** NR_FILE_PAGES: pages in page caches, shmem included. */
export const STATE_FILE: number = 1;
/** NR_SHMEM: pages of shared memory. */
export const STATE_SHMEM: number = 2;
/** NR_FILE_MAPPED: page-cache pages that some page table maps. */
export const STATE_FILE_MAPPED: number = 3;
/** NR_FILE_DIRTY. */
export const STATE_FILE_DIRTY: number = 4;
/** NR_WRITEBACK. */
export const STATE_FILE_WRITEBACK: number = 5;
/** NR_SWAPCACHE. */
export const STATE_SWAPCACHED: number = 6;
/** NR_ANON_THPS: pages of PMD-mapped anonymous folios. */
export const STATE_ANON_THP: number = 7;
/** NR_FILE_THPS. */
export const STATE_FILE_THP: number = 8;
/** NR_SHMEM_THPS. */
export const STATE_SHMEM_THP: number = 9;

const ITEMS = STATE_ITEMS.length;

/** The state counters of every memcg, by index. */
export class StateCounters {
  private readonly values: Int32Array;

  /** @param memcgs memcg indices there may be */
  constructor(memcgs: number) {
    this.values = new Int32Array(memcgs * ITEMS);
  }

  /** Adds `pages` to a counter of one memcg. */
  add(item: number, memcg: number, pages: number): void {
    this.values[memcg * ITEMS + item]! += pages;
  }

  /** A counter of one memcg, without its descendants, in pages. */
  of(item: number, memcg: number): number {
    return this.values[memcg * ITEMS + item] as number;
  }
}
