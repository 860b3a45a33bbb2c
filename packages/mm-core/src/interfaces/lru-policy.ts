import type { Cpu } from "@lrugen/hardware";
import type { Mm } from "../address-space/mm.ts";
import type { Lruvec } from "../lru/lruvec.ts";
import type { Memcg } from "../memcg/memcg.ts";
import type { MultiGenReclaim, ReclaimPolicy } from "./reclaim-policy.ts";

/**
 * What a page-replacement policy does for the rest of memory management. Two are installed, the
 * multi-gen LRU and the classic one, since `enabled` switches between them at run time.
 * Source: include/linux/mm_inline.h, mm/folio.c, mm/vmscan.c.
 */
export interface LruPolicy {
  /** For reports: `mglru` or `classic`. */
  readonly name: string;

  /**
   * Puts a folio on this policy's lists; PG_lru is the caller's.
   * @param reclaiming at the cold end
   * @returns false = not mine, nothing was done (ADD-01)
   */
  addFolio(lruvec: Lruvec, folio: number, reclaiming: boolean): boolean;

  /**
   * Takes a folio off this policy's lists.
   * @param reclaiming it is isolated for eviction (DEL-02)
   * @returns false = it is not on them (DEL-01)
   */
  delFolio(lruvec: Lruvec, folio: number, reclaiming: boolean): boolean;

  /** folio_add_lru(), before the batch: what a fresh folio of a page fault is marked with (BATCH-20). */
  beforeAdd(folio: number, inLruFault: boolean): void;

  /** folio_mark_accessed(): an access through a file descriptor or GUP (BATCH-30). */
  markAccessed(cpu: Cpu, folio: number): void;

  /**
   * lru_gen_clear_refs(): forget accesses before deactivation.
   * @returns true = the folio need not move (BATCH-25)
   */
  clearRefs(lruvec: Lruvec, folio: number): boolean;

  /** A new address space joins a memcg (CSW-30). */
  mmAdd(mm: Mm, memcg: Memcg): void;
  /** An address space is finally released (CSW-31). */
  mmDel(mm: Mm): void;
  /** The owner of an address space moved to another memcg (CSW-32). */
  mmMigrate(mm: Mm, memcg: Memcg): void;
  /** Context switch to a task of this address space (CSW-10). */
  useMm(mm: Mm): void;
}

/**
 * The two installed policies, as the inline functions of the kernel see them: the multi-gen one
 * first, the classic one for what it does not take.
 */
export class LruPolicies {
  readonly mglru: LruPolicy;
  readonly classic: LruPolicy;
  /** What the multi-gen LRU does for reclaim; null = nothing is ever reclaimed while it is on. */
  mglruReclaim: MultiGenReclaim | null = null;
  /** What the classic one does; null = nothing is ever reclaimed while the other is off. */
  classicReclaim: ReclaimPolicy | null = null;
  /** LRU_GEN_CORE: which policy judges accesses; owned by the switch (CAP-01). */
  coreEnabled = true;

  constructor(mglru: LruPolicy, classic: LruPolicy) {
    this.mglru = mglru;
    this.classic = classic;
  }

  /** lruvec_add_folio(), or lruvec_add_folio_tail() when `tail`. */
  addFolio(lruvec: Lruvec, folio: number, tail: boolean): void {
    if (!this.mglru.addFolio(lruvec, folio, tail)) this.classic.addFolio(lruvec, folio, tail);
  }

  /** lruvec_del_folio(). */
  delFolio(lruvec: Lruvec, folio: number): void {
    if (!this.mglru.delFolio(lruvec, folio, false)) this.classic.delFolio(lruvec, folio, false);
  }

  /** Who decides what to evict now; null = nothing is ever reclaimed (CLS-01). */
  get reclaim(): ReclaimPolicy | null {
    return this.coreEnabled ? this.mglruReclaim : this.classicReclaim;
  }

  /** The policy that judges accesses now. */
  get active(): LruPolicy {
    return this.coreEnabled ? this.mglru : this.classic;
  }
}
