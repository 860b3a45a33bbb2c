import type { BenchCase } from "../bench-case.ts";
import { AGING_CASES } from "./aging.ts";
import { DRAIN_CASES } from "./drain.ts";
import { EVICTION_CASES } from "./eviction.ts";
import { FILE_CASES } from "./file.ts";
import { INC_MIN_SEQ_CASES } from "./inc-min-seq.ts";
import { MEMORY_CASES } from "./memory.ts";
import { PAGING_CASES } from "./paging.ts";
import { WALK_CASES } from "./walk.ts";

/** The suite, in the order it runs; what is compared stands next to each other. */
export const ALL_CASES: readonly BenchCase[] = [
  ...AGING_CASES,
  ...INC_MIN_SEQ_CASES,
  ...WALK_CASES,
  ...PAGING_CASES,
  ...DRAIN_CASES,
  ...FILE_CASES,
  ...EVICTION_CASES,
  ...MEMORY_CASES,
];
