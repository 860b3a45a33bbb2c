import {
  type Lruvec,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  MAX_NR_GENS,
  MAX_NR_TIERS,
  type Memory,
  packShadow,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  type Shadow,
  SHADOW_TOKENS,
  type Task,
  unpackShadow,
  vmstatId,
} from "@lrugen/mm-core";
import { folioLruRefs, folioTier } from "../generation/generation.ts";

/** Counters by type: the file one follows the anon one. */
const REFAULT_ANON = vmstatId("workingset_refault_anon");
const ACTIVATE_ANON = vmstatId("workingset_activate_anon");
const RESTORE_ANON = vmstatId("workingset_restore_anon");

/** CONST-05: accesses a token tells apart. */
const REFS = 4;
/** Sequence numbers in a token: those of [0, SEQS) are told apart. */
const SEQS = SHADOW_TOKENS / REFS;
/** order_base_2() of 1..4 accesses. */
const TIER_OF_REFS: readonly number[] = [0, 0, 1, 2, 2];

/**
 * Remembering what was evicted, and judging it when it comes back.
 * Source: RFT-01..10; mm/workingset.c:lru_gen_eviction, lru_gen_refault.
 */
export class Workingset {
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** lru_gen_eviction(): counts the folio as evicted in its tier. @returns its shadow (RFT-02, RFT-03) */
  eviction(folio: number): number {
    const { folios } = this.memory;
    const { node, memcg, lrugen } = this.memory.lruvecOf(folio);
    const word = folios.flags[folio] as number;
    const type = word & PG_SWAPBACKED ? 0 : 1;
    const token = (lrugen.minSeq[type] as number) * REFS + Math.max(folioLruRefs(word) - 1, 0);
    lrugen.evicted[type * MAX_NR_TIERS + folioTier(word)]! += folios.nrPagesOf(folio);
    return packShadow(memcg.privateId, node, token, (word & PG_WORKINGSET) !== 0);
  }

  /** lru_gen_refault(): a fresh folio, charged and on no list, takes the place of a shadow (RFT-06). */
  refault(task: Task, folio: number, shadow: number): void {
    const { memory } = this;
    const { flags } = memory.folios;
    const found = unpackShadow(shadow);
    const lruvec = memory.lruvecOf(folio);
    if (this.lruvecOf(found) !== lruvec) return;
    const { memcg, lrugen } = lruvec;
    const word = flags[folio] as number;
    const pages = memory.folios.nrPagesOf(folio);
    const type = word & PG_SWAPBACKED ? 0 : 1;
    memory.countEvents(REFAULT_ANON + type, memcg, pages);
    if (!isRecent(lruvec, found)) return;
    const refs = (found.token % REFS) + 1;
    const tier = found.workingset ? MAX_NR_TIERS - 1 : (TIER_OF_REFS[refs] as number);
    lrugen.refaulted[type * MAX_NR_TIERS + tier]! += pages;
    if (!found.workingset) {
      flags[folio] = (word & ~LRU_REFS_MASK) | ((refs - 1) << LRU_REFS_PGOFF);
      return;
    }
    if (task.inLruFault) memory.countEvents(ACTIVATE_ANON + type, memcg, pages);
    flags[folio] = word | PG_WORKINGSET;
    memory.countEvents(RESTORE_ANON + type, memcg, pages);
  }

  /** lru_gen_test_recent(): the lruvec's, and no more than three generations ago (RFT-05). */
  isRecent(shadow: number): boolean {
    const found = unpackShadow(shadow);
    return isRecent(this.lruvecOf(found), found);
  }

  /** A memcg that is gone falls back to the root (RFT-05). */
  private lruvecOf({ privateId, node }: Shadow): Lruvec {
    const { root } = this.memory;
    return (this.memory.memcgByPrivateId(privateId) ?? root).lruvecs[node] as Lruvec;
  }
}

function isRecent({ lrugen }: Lruvec, { token }: Shadow): boolean {
  const distance = (lrugen.maxSeq % SEQS) - Math.floor(token / REFS);
  return Math.abs(distance) < MAX_NR_GENS;
}
