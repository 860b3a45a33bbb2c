// @hot
import {
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  type FolioTable,
  type Memcg,
  type Memory,
  NIL,
  PG_SWAPBACKED,
  PG_UPTODATE,
  type SwapTable,
  type Task,
  type Vma,
} from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import { CHARGE_FULL } from "../charge/charge-kind.ts";
import { walkPmds } from "../page-table/pmd-walk.ts";
import { slotIn } from "../page-table/slot.ts";
import type { SwapCache } from "./swap-cache.ts";

const LEAF = ENTRY_LEAF;
const SHIFT = ENTRY_SHIFT;
const PRESENT = ENTRY_PRESENT;
const NONE = NIL;
const FRESH = PG_SWAPBACKED | PG_UPTODATE;
const NO_FRAME = -1;
const FULL = CHARGE_FULL;

/**
 * Reads what is swapped out into fresh folios of the swap cache, on their way to the LRU but not
 * mapped.
 * Source: FLT-41; mm/swap_state.c:__swap_cache_alloc.
 */
export class SwapIn {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly table: SwapTable;
  private readonly cache: SwapCache;
  private readonly charge: Charge;

  constructor(memory: Memory, cache: SwapCache, charge: Charge) {
    this.memory = memory;
    this.folios = memory.folios;
    this.table = memory.swap;
    this.cache = cache;
    this.charge = charge;
  }

  /**
   * swapin_walk_pmd_entry(), for MADV_WILLNEED: what is swapped out of [start, end) of a VMA is read into
   * the swap cache, page by page.
   */
  readRange(task: Task, vma: Vma, start: number, end: number): void {
    const { pageTables, release } = this.memory;
    const { entries } = pageTables;
    walkPmds(pageTables, vma.mm.pgd, start, end, (pmdSlot, from, to) => {
      const pmd = entries[pmdSlot] as number;
      if (pmd & LEAF) return;
      const first = slotIn(pmd >>> SHIFT, from);
      for (let i = first; i < first + to - from; i++) {
        const entry = entries[i] as number;
        if (entry === 0 || entry & PRESENT) continue;
        const slot = entry >>> SHIFT;
        if (this.cache.lookup(slot) !== NONE) continue;
        const folio = this.read(task, slot, 0, vma.mm.memcg);
        if (folio !== NONE) release.put(task.cpu, folio);
      }
    });
  }

  /**
   * Whether the aligned block of `1 << order` slots around `slot` can be read as one folio: all swapped
   * out, none cached, all marked as zeroes or none (FLT-40).
   */
  isReadable(slot: number, order: number): boolean {
    const { counts, frames, zeroMarks, slots } = this.table;
    const pages = 1 << order;
    const first = slot & -pages;
    if (first + pages > slots) return false;
    for (let i = first; i < first + pages; i++) {
      if (counts[i] === 0 || frames[i] !== NO_FRAME || zeroMarks[i] !== zeroMarks[slot])
        return false;
    }
    return true;
  }

  /**
   * Allocates a folio for the aligned block around `slot`, charges it to the memcg that swapped it out,
   * judges the refault by the shadow of `slot` itself, adds it to the LRU and reads it, in this order:
   * while it is added it is in the swap cache.
   * @param owner memcg to charge if the one that swapped out is gone
   * @returns the folio with a reference for the caller, or NIL when there is no memory
   */
  read(task: Task, slot: number, order: number, owner: Memcg): number {
    const { memory, folios, cache } = this;
    const recorded = memory.memcgs[this.table.memcgs[slot] as number] as Memcg;
    const memcg = this.table.orphans[slot] === 1 || recorded.offline ? owner : recorded;
    const folio = this.charge.allocFolio(task, order, memcg, FULL);
    if (folio === NONE) return NONE;
    folios.flags[folio]! |= FRESH;
    const shadow = cache.shadowAt(slot);
    cache.add(folio, slot & -(1 << order));
    if (!Number.isNaN(shadow)) memory.lru.reclaim?.refault(task, folio, shadow);
    memory.batches.add(task, folio);
    cache.read(folio);
    return folio;
  }
}
