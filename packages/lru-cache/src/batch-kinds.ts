/**
 * The six LRU batches of a CPU, numbered in the order a dump names them.
 * Source: BATCH-02; mm/folio.c:struct cpu_fbatches.
 */
export const LRU_BATCH_NAMES: readonly [
  "lru_add",
  "lru_deactivate_file",
  "lru_deactivate",
  "lru_lazyfree",
  "lru_activate",
  "lru_move_tail",
] = [
  "lru_add",
  "lru_deactivate_file",
  "lru_deactivate",
  "lru_lazyfree",
  "lru_activate",
  "lru_move_tail",
];

/** Name of an LRU batch. */
export type LruBatchName = (typeof LRU_BATCH_NAMES)[number];

/** Folios on their way to the LRU for the first time, or back from isolation. */
export const LRU_ADD: number = 0;
/** Folios that invalidation could not drop. */
export const LRU_DEACTIVATE_FILE: number = 1;
/** MADV_COLD. */
export const LRU_DEACTIVATE: number = 2;
/** MADV_FREE. */
export const LRU_LAZYFREE: number = 3;
/** Second access under the classic LRU. */
export const LRU_ACTIVATE: number = 4;
/** Written back folios that reclaim waits for. */
export const LRU_MOVE_TAIL: number = 5;
