import {
  ageNonresident,
  type FolioReclaimer,
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  type Lruvec,
  type Memcg,
  type Memory,
  packShadow,
  PG_ACTIVE,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  type Shadow,
  SHADOW_TOKENS,
  unpackShadow,
  vmstatId,
} from "@lrugen/mm-core";

/** Counters by type: the file one follows the anon one. */
const REFAULT_ANON = vmstatId("workingset_refault_anon");
const ACTIVATE_ANON = vmstatId("workingset_activate_anon");
const RESTORE_ANON = vmstatId("workingset_restore_anon");

/**
 * Refault distance: a page that comes back was evicted too early if fewer pages than a workingset holds
 * were evicted or activated since it left.
 * Source: WS-01..06; mm/workingset.c.
 */
export class ClassicWorkingset {
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /**
   * workingset_eviction(): what to remember of a folio that goes, then time passes (WS-02).
   * @param target memcg being reclaimed, whose eviction it is; null = the machine
   */
  eviction(folio: number, target: Memcg | null): number {
    const { memory } = this;
    const { node } = memory.lruvecOf(folio);
    const lruvec = (target ?? memory.root).lruvecs[node] as Lruvec;
    const workingset = ((memory.folios.flags[folio] as number) & PG_WORKINGSET) !== 0;
    const shadow = packShadow(lruvec.memcg.privateId, node, lruvec.nonresidentAge, workingset);
    ageNonresident(lruvec, memory.folios.nrPagesOf(folio));
    return shadow;
  }

  /** workingset_refault(): a fresh folio, charged and on no list, takes the place of a shadow (WS-04, WS-05). */
  refault(folio: number, shadow: number): void {
    const { memory } = this;
    const { flags } = memory.folios;
    const lruvec = memory.lruvecOf(folio);
    const { memcg } = lruvec;
    const pages = memory.folios.nrPagesOf(folio);
    const type = (flags[folio] as number) & PG_SWAPBACKED ? 0 : 1;
    memory.countEvents(REFAULT_ANON + type, memcg, pages);
    const found = unpackShadow(shadow);
    if (!this.isRecent(found, type)) return;
    flags[folio]! |= PG_ACTIVE;
    ageNonresident(lruvec, pages);
    memory.countEvents(ACTIVATE_ANON + type, memcg, pages);
    if (!found.workingset) return;
    flags[folio]! |= PG_WORKINGSET;
    memory.countEvents(RESTORE_ANON + type, memcg, pages);
  }

  /** workingset_activation(): a folio that was accessed again becomes active (WS-06). */
  activation(folio: number): void {
    ageNonresident(this.memory.lruvecOf(folio), this.memory.folios.nrPagesOf(folio));
  }

  /**
   * workingset_test_recent(): whether the workingset would have held the page, had it not been evicted. A
   * shadow of a memcg that is gone is not recent; one that the multi-gen LRU left is read as it is, its
   * token taken for an age.
   */
  private isRecent({ privateId, node, token }: Shadow, type: number): boolean {
    const memcg = this.memory.memcgByPrivateId(privateId);
    if (memcg === undefined) return false;
    const distance = memcg.lruvecs[node]!.nonresidentAge - token;
    const wrapped = ((distance % SHADOW_TOKENS) + SHADOW_TOKENS) % SHADOW_TOKENS;
    return wrapped <= this.workingsetSize(memcg, node, type);
  }

  /** Pages of a memcg and all below it that compete with a page of that type (WS-04). */
  private workingsetSize(memcg: Memcg, node: number, type: number): number {
    const { memory } = this;
    let pages = sizeOf(memcg, node, LRU_ACTIVE_FILE);
    if (type === 0) pages += sizeOf(memcg, node, LRU_INACTIVE_FILE);
    if ((memory.reclaimer as FolioReclaimer).freeSwapPages(memcg) > 0) {
      pages += sizeOf(memcg, node, LRU_ACTIVE_ANON);
      if (type === 1) pages += sizeOf(memcg, node, LRU_INACTIVE_ANON);
    }
    return pages;
  }
}

/** lruvec_page_state() of a list: descendants included. */
function sizeOf(memcg: Memcg, node: number, lru: number): number {
  let pages = 0;
  for (const each of memcg.preOrder()) pages += each.lruvecs[node]!.sizeOf(lru);
  return pages;
}
