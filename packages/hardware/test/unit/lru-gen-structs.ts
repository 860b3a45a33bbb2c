/** The kernel's MGLRU structs, to try the layout builder on. Z zones, H histories; pointers and longs are 8 bytes. */
import { structLayout, type FieldSpec, type StructLayout } from "../../src/index.ts";

const flags: readonly FieldSpec[] = [
  ["enabled", 1],
  ["gen", 1],
  ["seg", 1],
  ["list", 16],
];
const sequences: readonly FieldSpec[] = [
  ["max_seq", 8],
  ["min_seq", 16],
  ["timestamps", 32],
];

const pages = (zones: number, hist: number): FieldSpec[] => [
  ["folios", 128 * zones],
  ["nr_pages", 64 * zones],
  ["avg_refaulted", 64],
  ["avg_total", 64],
  ["protected", 64 * hist],
];

/** As in Linux 7.3. */
export function lruGenFolio(zones: number, hist: number): StructLayout {
  return structLayout("lru_gen_folio", 1, [
    ...sequences,
    ...pages(zones, hist),
    ["evicted", 64 * hist],
    ["refaulted", 64 * hist],
    ...flags,
  ]);
}

/** With the counters of eviction and refault on lines of their own. */
export function lruGenFolioOwnLines(zones: number, hist: number): StructLayout {
  return structLayout("lru_gen_folio", 1, [
    ...sequences,
    ...flags,
    ...pages(zones, hist),
    ["evicted", 64 * hist, 64],
    ["refaulted", 64 * hist],
  ]);
}

/** `lruvec`, with `lrugen` and `mm_state` embedded. */
export function lruvec(lrugen: StructLayout, hist: number): StructLayout {
  const mmState = structLayout("lru_gen_mm_state", 1, [
    ["seq", 8],
    ["head", 8],
    ["tail", 8],
    ["filters", 16],
    ["stats", 32 * hist],
  ]);
  return structLayout("lruvec", 1, [
    ["lists", 80],
    ["lru_lock", 4],
    ["cost", 48],
    ["cost_lock", 4],
    ["nonresident_age", 8],
    ["refaults", 16],
    ["flags", 8],
    ["lrugen", lrugen],
    ["mm_state", mmState],
    ["pgdat", 8],
    ["zswap_lruvec_state", 8],
  ]);
}

/** `mem_cgroup_per_node` without memcg v1. `rest` stands for its last fields, whose total is all that counts here. */
export function memCgroupPerNode(vec: StructLayout, zones: number): StructLayout {
  return structLayout("mem_cgroup_per_node", 1, [
    ["pointers", 32],
    ["lruvec_pad", 0, 64],
    ["lruvec", vec],
    ["lru_zone_size", 40 * zones, 64],
    ["rest", 48],
  ]);
}
