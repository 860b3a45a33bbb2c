import type { Cpu } from "@lrugen/hardware";
import type { Lruvec } from "../lru/lruvec.ts";
import type { Memcg } from "../memcg/memcg.ts";
import type { Task } from "../memory/task.ts";
import type { FolioMapping, ReferenceVerdict } from "../reclaim/folio-reclaimer.ts";
import type { ScanControl } from "../reclaim/scan-control.ts";

/**
 * The half of a page-replacement policy that reclaim drives: what to evict, what an access seen
 * through the reverse map means, and what is remembered of what was evicted.
 * Source: mm/vmscan.c, mm/workingset.c.
 */
export interface ReclaimPolicy {
  /** shrink_lruvec() of a memcg that reclaim visits (SHR-05). */
  shrinkLruvec(lruvec: Lruvec, sc: ScanControl): void;

  /** shrink_node() when the machine is short: all memcgs in the policy's own order (SHR-04, MLRU-10). */
  shrinkNode(node: number, sc: ScanControl): void;

  /** kswapd_age_node(), once per balancing round (TTL-01). */
  ageNode(node: number, sc: ScanControl): void;

  /**
   * folio_check_references(), after the walk (CLS-10, REF-10).
   * @param referenced VMAs that referenced the folio, −1 = contended or exiting
   * @param vmaFlags union of the flags of those VMAs
   */
  checkReferences(folio: number, referenced: number, vmaFlags: number): ReferenceVerdict;

  /**
   * workingset_eviction(): the value to leave in place of a folio that is being freed (RFT-01..03).
   * @param target memcg being reclaimed, null = the machine
   */
  evictionShadow(folio: number, target: Memcg | null): number;

  /** workingset_refault(): a fresh folio replaces a shadow; it is charged, not yet on an LRU (RFT-06). */
  refault(task: Task, folio: number, shadow: number): void;
}

/** What only the multi-gen LRU does for reclaim. */
export interface MultiGenReclaim extends ReclaimPolicy {
  /**
   * lru_gen_look_around(): PTEs of an isolated folio are tested, with their neighbours (LOOK-03).
   * @returns whether the folio was young there
   */
  lookAround(cpu: Cpu, folio: number, mapping: FolioMapping): boolean;

  /** A memcg was created (MLRU-02). */
  memcgOnline(memcg: Memcg): void;
  /** A memcg goes away: its folios are the parent's from now on (REPAR-01..05, MLRU-03). */
  memcgOffline(cpu: Cpu, memcg: Memcg): void;
}
