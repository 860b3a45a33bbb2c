import { MAX_NR_ZONES } from "../folio/zones.ts";
import type { Memcg } from "../memcg/memcg.ts";
import type { Task } from "../memory/task.ts";

/** CONST-15: reclaim starts by scanning size >> 12. */
export const DEF_PRIORITY: number = 12;
/** CONST-16: least target of a reclaim, in pages. */
export const SWAP_CLUSTER_MAX: number = 32;

/** Why somebody reclaims, and how far that has come: what differs from the defaults. */
export interface ScanRequest {
  /** Pages wanted. */
  readonly nrToReclaim: number;
  /** Memcg whose limit or request it is; null = the machine is short. */
  readonly targetMemcg?: Memcg | null;
  /** Order of the allocation that waits; default 0. */
  readonly order?: number;
  /** memory.reclaim, debugfs: somebody asked, nobody is short. */
  readonly proactive?: boolean;
  /** swappiness given with the request, null = the system's. */
  readonly swappiness?: number | null;
  /** The reclaimer is kswapd. */
  readonly kswapd?: boolean;
  /** Highest zone to reclaim from; default all. */
  readonly reclaimIdx?: number;
}

/** What shrinkFolioList() met, in pages; added up over the passes of one reclaim. */
export interface ScanCounts {
  dirty: number;
  unqueuedDirty: number;
  congested: number;
  writeback: number;
  immediate: number;
  taken: number;
}

/**
 * struct scan_control: one reclaim from its first priority to its last.
 * Source: CLS-05, SHR-07; mm/vmscan.c.
 */
export class ScanControl {
  readonly task: Task;
  nrToReclaim: number;
  readonly targetMemcg: Memcg | null;
  readonly order: number;
  readonly reclaimIdx: number;
  readonly proactive: boolean;
  readonly proactiveSwappiness: number | null;
  readonly kswapd: boolean;
  mayWritepage = true;
  mayUnmap = true;
  maySwap = true;
  priority: number = DEF_PRIORITY;
  /** memory.low is overridden in this pass; somebody was passed over for it. */
  memcgLowReclaim = false;
  memcgLowSkipped = false;
  /** Every memcg is visited, goal met or not. */
  memcgFullWalk = false;
  nrScanned = 0;
  nrReclaimed = 0;
  readonly nr: ScanCounts = {
    dirty: 0,
    unqueuedDirty: 0,
    congested: 0,
    writeback: 0,
    immediate: 0,
    taken: 0,
  };
  /** reclaim_state.mm_walk: the policy's own walk structure, null while it has none (LOOK-05). */
  policyWalk: unknown = null;

  constructor(task: Task, request: ScanRequest) {
    this.task = task;
    this.nrToReclaim = request.nrToReclaim;
    this.targetMemcg = request.targetMemcg ?? null;
    this.order = request.order ?? 0;
    this.reclaimIdx = request.reclaimIdx ?? MAX_NR_ZONES - 1;
    this.proactive = request.proactive ?? false;
    this.proactiveSwappiness = request.swappiness ?? null;
    this.kswapd = request.kswapd ?? false;
  }

  /** cgroup_reclaim(): a target other than none; root_reclaim() is its opposite for the root too (CLS-03). */
  get isRootReclaim(): boolean {
    return this.targetMemcg === null || this.targetMemcg.parent === null;
  }

  /** Which counter of pgscan_*, pgsteal_* a page counts in (EVT-25). */
  get reclaimer(): "kswapd" | "proactive" | "direct" {
    if (this.kswapd) return "kswapd";
    return this.proactive ? "proactive" : "direct";
  }
}
