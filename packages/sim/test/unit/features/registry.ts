import type { FeatureDescriptor } from "@lrugen/mm-core";
import { FeatureRegistry } from "../../../src/features/feature-registry.ts";

/** A switch with nothing special about it. */
export function feature(name: string, rest: Partial<FeatureDescriptor> = {}): FeatureDescriptor {
  return {
    name,
    default: false,
    series: null,
    patch: null,
    title: name,
    rules: [],
    requires: [],
    ...rest,
  };
}

const PATCHES = [
  "splitAccounting",
  "batchSizes",
  "promotedAhead",
  "promotedNotProtected",
  "prefetchInline",
  "headToTail",
  "spliceRuns",
];

/** The shape of the real thing: a series of seven, one outside it, and features with values. */
export const REGISTRY: FeatureRegistry = new FeatureRegistry([
  ...PATCHES.map((name, at) =>
    feature(`mglru.incMinSeq.${name}`, {
      series: "inc-min-seq",
      patch: at + 1,
      requires: name === "spliceRuns" ? ["mglru.incMinSeq.headToTail"] : [],
    }),
  ),
  feature("mglru.incMinSeq.batchProtected", { series: "inc-min-seq", outsideSeries: true }),
  feature("mglru.walk.secondaryMmu", {
    default: "pre",
    values: ["pre", "6.12", "7.3"],
    series: "secondary-mmu",
    patch: 2,
    requires: ["mglru.stats.trimmed"],
  }),
  feature("mglru.stats.trimmed", { series: "secondary-mmu", patch: 1 }),
  feature("lruCache.drainRule", { default: "reach", values: ["reach", "exceed"] }),
  feature("lruCache.late", { requires: ["lruCache.drainRule=exceed"] }),
]);
