import type { FeatureDescriptor } from "@lrugen/mm-core";

/**
 * Series inc-min-seq, "mm/mglru: speed up inc_min_seq() and fix cold/hot inversions" v3, patch by
 * patch. All off is Linux 7.3.
 */
export interface IncMinSeqFeatures {
  /** Patch 1: the flag step and the size step of folio_inc_gen() apart; nothing observable (S1-01). */
  readonly splitAccounting: boolean;
  /** Patch 2: sizes of moved folios are summed and applied once a list (S1-02). */
  readonly batchSizes: boolean;
  /** Patch 3: promoted folios go to the head of their generation, not the tail (S1-03). */
  readonly promotedAhead: boolean;
  /** Patch 4: promoted folios do not count as protected (S1-04). */
  readonly promotedNotProtected: boolean;
  /** Patch 5: the next folio's flags are prefetched for write; costs only (S1-05). */
  readonly prefetchInline: boolean;
  /** Patch 6: the oldest list is consumed from its head, so its order survives (S1-06). */
  readonly headToTail: boolean;
  /** Patch 7: runs of non-promoted folios move by one splice (S1-07). Requires headToTail. */
  readonly spliceRuns: boolean;
  /** Not in the series (dropped in v2): protected counts are summed and applied once a list (S1-09). */
  readonly batchProtected: boolean;
}

const SERIES = "inc-min-seq";
const PREFIX = "mglru.incMinSeq.";

function patch(
  number: number,
  name: keyof IncMinSeqFeatures,
  title: string,
  rules: readonly string[],
  requires: readonly (keyof IncMinSeqFeatures)[] = [],
): FeatureDescriptor {
  return {
    name: PREFIX + name,
    default: false,
    series: SERIES,
    patch: number,
    title,
    rules,
    requires: requires.map((other) => PREFIX + other),
  };
}

/** Every switch of this package, in patch order. */
export const MGLRU_FEATURES: readonly FeatureDescriptor[] = [
  patch(1, "splitAccounting", "separate folio generation update from LRU accounting", ["S1-01"]),
  patch(2, "batchSizes", "batch update lrugen->nr_pages in inc_min_seq()", ["S1-02"]),
  patch(3, "promotedAhead", "enhance cold/hot inversion handling in inc_min_seq()", ["S1-03"]),
  patch(
    4,
    "promotedNotProtected",
    "exclude folios promoted by aging from protected in inc_min_seq()",
    ["S1-04"],
  ),
  patch(5, "prefetchInline", "make LRU folio prefetch helper an inline function", ["S1-05"]),
  patch(6, "headToTail", "move folios from oldest gen to second-oldest gen from head to tail", [
    "S1-06",
  ]),
  patch(
    7,
    "spliceRuns",
    "batch move folios to the second-oldest gen's LRU",
    ["S1-07"],
    ["headToTail"],
  ),
  {
    name: `${PREFIX}batchProtected`,
    default: false,
    series: null,
    patch: null,
    title: "batch update lrugen->protected in inc_min_seq() (in v1, dropped in v2)",
    rules: ["S1-09"],
    requires: [],
    outsideSeries: true,
  },
];

/**
 * The switches of inc_min_seq() out of a set of feature names.
 * @throws RangeError when spliceRuns is on without headToTail
 */
export function incMinSeqFeatures(isOn: (name: string) => boolean): IncMinSeqFeatures {
  const on = (name: keyof IncMinSeqFeatures): boolean => isOn(PREFIX + name);
  const features: IncMinSeqFeatures = {
    splitAccounting: on("splitAccounting"),
    batchSizes: on("batchSizes"),
    promotedAhead: on("promotedAhead"),
    promotedNotProtected: on("promotedNotProtected"),
    prefetchInline: on("prefetchInline"),
    headToTail: on("headToTail"),
    spliceRuns: on("spliceRuns"),
    batchProtected: on("batchProtected"),
  };
  if (features.spliceRuns && !features.headToTail) {
    throw new RangeError(`${PREFIX}spliceRuns requires ${PREFIX}headToTail`);
  }
  return features;
}

/** Linux 7.3 as released. */
export const STOCK_FEATURES: IncMinSeqFeatures = incMinSeqFeatures(() => false);
