import type { Cpu } from "@lrugen/hardware";
import {
  ANON_AND_FILE,
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  type LruPolicies,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_ZONES,
  type Memory,
  NIL,
} from "@lrugen/mm-core";
import type { LruGenCaps } from "./caps.ts";

/** CONST-07: folios moved under one lock hold. */
const MAX_LRU_BATCH = 4096;

/** Classic lists in the order they are taken over (SW-02). */
const FILL_ORDER: readonly number[] = [
  LRU_INACTIVE_ANON,
  LRU_ACTIVE_ANON,
  LRU_INACTIVE_FILE,
  LRU_ACTIVE_FILE,
];

/**
 * lru_gen_change_state(): moves every folio between the classic and the multi-gen lists, lruvec by
 * lruvec, 4,096 folios a lock hold. Batches are not drained: where a batched folio goes is decided
 * at its drain (SW-06).
 * Source: SW-01..07; mm/vmscan.c.
 */
export class StateSwitch {
  private readonly memory: Memory;
  private readonly caps: LruGenCaps;

  constructor(memory: Memory, caps: LruGenCaps) {
    this.memory = memory;
    this.caps = caps;
  }

  /** Turns LRU_GEN_CORE on or off; nothing happens when it already is (SW-01). */
  changeState(cpu: Cpu, enabled: boolean): void {
    if (enabled === this.caps.core) return;
    this.caps.core = enabled;
    const { lru } = this.memory;
    lru.coreEnabled = enabled;
    for (const memcg of this.memory.root.preOrder()) {
      for (const lruvec of memcg.lruvecs) {
        cpu.acquire(lruvec.lock);
        lruvec.lrugen.enabled = enabled;
        while (!(enabled ? this.fill(lruvec, lru) : this.drain(lruvec, lru))) {
          cpu.release(lruvec.lock);
          cpu.acquire(lruvec.lock);
        }
        cpu.release(lruvec.lock);
      }
    }
  }

  /** fill_evictable(): one round, coldest classic folio first, each to the hot end (SW-02). */
  private fill(lruvec: Lruvec, lru: LruPolicies): boolean {
    const { lists } = this.memory;
    let left = MAX_LRU_BATCH;
    for (const list of FILL_ORDER) {
      const head = lruvec.listHead + list;
      for (let folio = lists.tail(head); folio !== NIL; folio = lists.tail(head)) {
        lru.classic.delFolio(lruvec, folio, false);
        if (!lru.mglru.addFolio(lruvec, folio, false)) {
          throw new Error("unevictable folio on a classic list");
        }
        left -= 1;
        if (left === 0) return false;
      }
    }
    return true;
  }

  /** drain_evictable(): one round, by generation index, not by age (SW-03). */
  private drain(lruvec: Lruvec, lru: LruPolicies): boolean {
    const { lists } = this.memory;
    const first = lruvec.lrugen.listHead;
    let left = MAX_LRU_BATCH;
    for (let list = 0; list < MAX_NR_GENS * ANON_AND_FILE * MAX_NR_ZONES; list++) {
      const head = first + list;
      for (let folio = lists.tail(head); folio !== NIL; folio = lists.tail(head)) {
        lru.mglru.delFolio(lruvec, folio, false);
        lru.classic.addFolio(lruvec, folio, false);
        left -= 1;
        if (left === 0) return false;
      }
    }
    lruvec.lrugen.gaveUpPopulated.fill(false);
    return true;
  }
}
