import { ClassicLru } from "@lrugen/classic-lru";
import { createFunctionalHardware, type Hardware } from "@lrugen/hardware";
import { CpuFolioBatches } from "@lrugen/lru-cache";
import { incMinSeqFeatures, MultiGenLru } from "@lrugen/mglru";
import { LruPolicies, type Memcg, Memory, singleNode } from "@lrugen/mm-core";
import { Paging } from "@lrugen/paging";
import type { FeatureSet } from "../features/feature-set.ts";
import { GUEST_PAGES, GUEST_SWAP_PAGES, type SystemConfig } from "./system-config.ts";

/** CONST-14. */
const DEFAULT_SWAPPINESS = 60;
/** MIN_LRU_BATCH: with fewer free slots than this nothing is swapped (TRIG-02). */
const LEAST_SWAP_PAGES = 64;

/**
 * One machine with its policies plugged in: what the kernel links together at build time.
 * Deterministic: the same config and the same calls give the same state, on any host.
 */
export class System {
  readonly hw: Hardware;
  readonly memory: Memory;
  readonly mglru: MultiGenLru;
  readonly batches: CpuFolioBatches;
  readonly paging: Paging;
  readonly features: FeatureSet;
  /** vm.swappiness, 0..200. */
  swappiness: number;

  /** @throws Error or RangeError naming the field of an impossible config */
  constructor(config: SystemConfig) {
    const { features } = config;
    this.features = features;
    this.swappiness = config.swappiness ?? DEFAULT_SWAPPINESS;
    this.hw = createFunctionalHardware({ cpus: config.cpus ?? 1 });
    this.memory = new Memory(this.hw, {
      nodes: config.nodes ?? singleNode(GUEST_PAGES),
      swapPages: config.swapPages ?? GUEST_SWAP_PAGES,
      ...(config.maxMemcgs === undefined ? {} : { maxMemcgs: config.maxMemcgs }),
      ...(config.pageTables === undefined ? {} : { pageTables: config.pageTables }),
    });
    this.mglru = new MultiGenLru(this.memory, {
      features: incMinSeqFeatures((name) => features.isOn(name)),
      swappinessOf: (memcg) => this.swappinessOf(memcg),
    });
    this.batches = new CpuFolioBatches(this.memory);
    const classic = new ClassicLru(this.memory);
    const policies = new LruPolicies(this.mglru, classic);
    policies.mglruReclaim = this.mglru;
    policies.classicReclaim = classic;
    this.memory.install(policies, this.batches);
    this.paging = new Paging(this.memory);
  }

  /** get_swappiness(): vm.swappiness, or 0 where too little swap is left (TRIG-02). */
  private swappinessOf(memcg: Memcg): number {
    const enough = this.paging.swap.cache.freePages(memcg) >= LEAST_SWAP_PAGES;
    return enough ? this.swappiness : 0;
  }
}
