/**
 * The three switches behind `enabled`, as they take effect on x86, where hardware sets accessed
 * bits at every level.
 * Source: CAP-01, CAP-02, CONST-20; mm/vmscan.c:lru_gen_caps.
 */
export interface LruGenCaps {
  /** LRU_GEN_CORE: the multi-gen lists are in use. */
  core: boolean;
  /** LRU_GEN_MM_WALK: aging walks page tables. */
  mmWalk: boolean;
  /** LRU_GEN_NONLEAF_YOUNG: the walk reads and clears accessed bits of PMD entries that are no leaves. */
  nonleafYoung: boolean;
}

/** CONST-20: bits of the `enabled` file. */
export const LRU_GEN_CORE: number = 0x1;
export const LRU_GEN_MM_WALK: number = 0x2;
export const LRU_GEN_NONLEAF_YOUNG: number = 0x4;

/** What `enabled` reads as: `0x%04x` (chapter 7.3). */
export function formatEnabled(caps: LruGenCaps): string {
  const bits =
    (caps.core ? LRU_GEN_CORE : 0) |
    (caps.mmWalk ? LRU_GEN_MM_WALK : 0) |
    (caps.nonleafYoung ? LRU_GEN_NONLEAF_YOUNG : 0);
  return `0x${bits.toString(16).padStart(4, "0")}`;
}
