export { LRU_BATCH_NAMES, type LruBatchName } from "./batch-kinds.ts";
export { CpuFolioBatches } from "./cpu-folio-batches.ts";
