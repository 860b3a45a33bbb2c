import type { NodeConfig } from "@lrugen/mm-core";
import type { FeatureSet } from "../features/feature-set.ts";

/** What to build; everything else has the reference guest's values. */
export interface SystemConfig {
  /** Switches; see systemFeatures. */
  readonly features: FeatureSet;
  /** CPUs, 1..256. Default 1. */
  readonly cpus?: number;
  /** Nodes and zones, see singleNode; default one node of 1 GiB, all in DMA32. */
  readonly nodes?: readonly NodeConfig[];
  /** Memory cgroups at a time, the root included. Default 8. */
  readonly maxMemcgs?: number;
  /** Page tables in the pool; see MemoryConfig. */
  readonly pageTables?: number;
  /**
   * Pages of the swap device, a zram whose first page is its header; 0 = no swap. Default 65,536, which
   * is 256 MiB.
   */
  readonly swapPages?: number;
  /** vm.swappiness, 0..200. Default 60 (CONST-14). */
  readonly swappiness?: number;
}

/** Memory of the reference guest, in pages: 1 GiB. */
export const GUEST_PAGES: number = 262_144;

/** Swap of the reference guest, in pages: 256 MiB. */
export const GUEST_SWAP_PAGES: number = 65_536;
