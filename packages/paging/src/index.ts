export * from "./charge/index.ts";
export { FAULT_NONE, FAULT_OOM, FAULT_SIGBUS, FAULT_SIGSEGV } from "./fault/fault-codes.ts";
export { FILE_ADVICES } from "./file/fadvise.ts";
export type { Advice } from "./madvise/advice.ts";
export { Paging } from "./paging.ts";
export { ThpConfig, type ThpMode, type ThpSizeMode } from "./thp/thp-config.ts";
export { TASK_SIZE_PAGES } from "./vma/map.ts";
export { Flusher, type FlusherConfig } from "./writeback/flusher.ts";
