import type { IncMinSeqFeatures } from "../../src/index.ts";

/** Name of a switch of inc_min_seq(). */
export type Switch = keyof IncMinSeqFeatures;

/** Series inc-min-seq, patch by patch. */
export const PATCHES = [
  "splitAccounting",
  "batchSizes",
  "promotedAhead",
  "promotedNotProtected",
  "prefetchInline",
  "headToTail",
  "spliceRuns",
] as const satisfies readonly Switch[];

/** Every set of patches, each in patch order. */
export const SETS: readonly (readonly Switch[])[] = Array.from({ length: 1 << 7 }, (_, set) =>
  PATCHES.filter((_name, i) => set & (1 << i)),
);

/** Those that are allowed: spliceRuns only with headToTail. */
export const ALLOWED: readonly (readonly Switch[])[] = SETS.filter(
  (names) => !names.includes("spliceRuns") || names.includes("headToTail"),
);
