// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  ENOMEM,
  type FolioTable,
  type Memcg,
  type Memory,
  NIL,
  NO_SLOT,
  NotModelledError,
  type PageCounter,
  PG_DIRTY,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_WRITEBACK,
  PSWPIN,
  PSWPOUT,
  STATE_SWAPCACHED,
  SWPIN_ZERO,
  SWPOUT_ZERO,
  type SwapDevice,
  type SwapTable,
  THP_SWPOUT,
} from "@lrugen/mm-core";
import { PMD_ORDER } from "../thp/thp-config.ts";

const OUT_OF_MEMORY = ENOMEM;
const NONE = NIL;
const NO_SWAP = NO_SLOT;
const DIRTY = PG_DIRTY;
const WRITEBACK = PG_WRITEBACK;
const SWAPCACHE = PG_SWAPCACHE;
const IN_SWAP_CACHE = PG_SWAPBACKED | PG_SWAPCACHE;
const SWAPCACHED = STATE_SWAPCACHED;
const HUGE_ORDER = PMD_ORDER;
const OUT = PSWPOUT;
const OUT_ZERO = SWPOUT_ZERO;
const IN = PSWPIN;
const IN_ZERO = SWPIN_ZERO;
const HUGE_OUT = THP_SWPOUT;

/**
 * Swap slots and the folios that cache them: how folios get slots, are written and read, and part
 * from their slots again.
 *
 * A folio in the swap cache has one reference a page for it; allocSwap() and add() take them,
 * freeSwap() drops them, removeFromCache() leaves them to the caller.
 *
 * Source: SWP-01..SWP-09, SWP-21; mm/swapfile.c, mm/swap_state.c, mm/page_io.c.
 */
export class SwapCache {
  readonly device: SwapDevice;
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly table: SwapTable;

  /**
   * @param device of as many slots as the machine's swap table
   * @throws NotModelledError for a device that is not synchronous
   */
  constructor(memory: Memory, device: SwapDevice) {
    if (!device.synchronous) throw new NotModelledError("swap on a device that is not synchronous");
    if (device.slots !== memory.swap.slots) {
      throw new RangeError(`swap device of ${device.slots} slots, expected ${memory.swap.slots}`);
    }
    this.memory = memory;
    this.folios = memory.folios;
    this.table = memory.swap;
    this.device = device;
  }

  /** Whether a folio is in the swap cache (folio_test_swapcache). */
  has(folio: number): boolean {
    return ((this.folios.flags[folio] as number) & IN_SWAP_CACHE) === IN_SWAP_CACHE;
  }

  /** The folio that caches a slot, or NIL. */
  lookup(slot: number): number {
    const pfn = this.table.frames[slot] as number;
    return pfn < 0 ? NONE : this.folios.folioOf(pfn);
  }

  /** folio.swap: the first slot of a folio in the swap cache; page i of it has slot + i. */
  firstSlot(folio: number): number {
    return this.folios.swap[folio] as number;
  }

  /** The shadow left in a slot, NaN when there is none. */
  shadowAt(slot: number): number {
    return this.table.shadowAt(slot);
  }

  /** mem_cgroup_get_nr_swap_pages(): slots a memcg may still use, null = the machine (TRIG-02). */
  freePages(memcg: Memcg | null): number {
    let free = this.table.free;
    if (memcg === null || memcg.parent === null) return free;
    for (let counter = memcg.swap; ;) {
      free = Math.min(free, counter.margin);
      if (counter.parent === null) return free;
      counter = counter.parent;
    }
  }

  /**
   * mem_cgroup_swap_full(): slots are scarce, for the machine or for a memcg: half of what there is, or
   * of what it may have, is in use (SWP-07).
   */
  isFullFor(memcg: Memcg): boolean {
    if (this.table.isNearlyFull) return true;
    if (memcg.parent === null) return false;
    for (let counter: PageCounter | null = memcg.swap; counter !== null; counter = counter.parent) {
      if (counter.usage * 2 >= Math.min(counter.high, counter.max)) return true;
    }
    return false;
  }

  /**
   * folio_alloc_swap(): gives an anonymous or shared-memory folio slots for all its pages, contiguous
   * and aligned, charges them to its memcg and puts it into the swap cache: a reference a page, dirty
   * or not as before (SWP-03).
   * @returns 0, or −OUT_OF_MEMORY when no such run is free or the memcg may not swap
   */
  allocSwap(folio: number): number {
    const { folios, table } = this;
    const pages = folios.nrPagesOf(folio);
    const memcg = this.memcgOf(folio);
    const order = pages === 1 ? 0 : (folios.order[folio] as number);
    if (table.free < pages) return -OUT_OF_MEMORY;
    if (memcg.parent !== null && memcg.swap.tryCharge(pages) !== null) return -OUT_OF_MEMORY;
    const slot = table.alloc(order, folio, memcg.index);
    if (slot === NO_SWAP) {
      if (memcg.parent !== null) memcg.swap.uncharge(pages);
      return -OUT_OF_MEMORY;
    }
    this.enter(folio, slot, pages);
    return 0;
  }

  /**
   * Puts a fresh folio into the swap cache for slots that are swapped out (FLT-41): a reference a
   * page. The shadows of the slots are used up: ask shadowAt() before.
   */
  add(folio: number, slot: number): void {
    const pages = this.folios.nrPagesOf(folio);
    for (let i = 0; i < pages; i++) this.table.cache(slot + i, folio + i);
    this.enter(folio, slot, pages);
  }

  /**
   * folio_free_swap(): the folio parts from its slots if no entry refers to any of them. It is dirty
   * then, as its contents are nowhere else, and has a reference a page less; the caller holds one
   * more (SWP-06).
   * @returns whether it did
   */
  freeSwap(folio: number): boolean {
    const { flags, refcount } = this.folios;
    if (!this.has(folio) || (flags[folio] as number) & WRITEBACK) return false;
    const pages = this.folios.nrPagesOf(folio);
    const slot = this.firstSlot(folio);
    for (let i = slot; i < slot + pages; i++) if (this.table.counts[i] !== 0) return false;
    this.removeFromCache(folio, undefined);
    flags[folio]! |= DIRTY;
    refcount[folio]! -= pages;
    return true;
  }

  /**
   * __delete_from_swap_cache(): the folio is in the swap cache no more; slots that no entry refers to
   * are free. The reference a page that it had for this is the caller's to drop (SWP-05).
   * @param shadow value to leave in the slots, undefined for none
   */
  removeFromCache(folio: number, shadow: number | undefined): void {
    const { flags, memcg } = this.folios;
    const pages = this.folios.nrPagesOf(folio);
    const slot = this.firstSlot(folio);
    for (let i = slot; i < slot + pages; i++) {
      if (this.table.uncache(i, shadow)) this.freed(i);
    }
    flags[folio]! &= ~SWAPCACHE;
    this.memory.states.add(SWAPCACHED, memcg[folio] as number, -pages);
  }

  /** swap_dup_entry(): one more entry refers to the slot: an unmapped page, or a fork (SWP-04). */
  dup(slot: number): void {
    this.table.dup(slot);
  }

  /** One entry less refers to the slot (SWP-04). */
  put(slot: number): void {
    if (this.table.put(slot)) this.freed(slot);
  }

  /**
   * free_swap_and_cache(): an entry is gone without having been swapped in. A cached folio that
   * nobody maps goes with the last one.
   */
  putAndReclaim(cpu: Cpu, slot: number): void {
    this.put(slot);
    const folio = this.lookup(slot);
    if (folio === NONE || this.table.counts[slot] !== 0) return;
    if (this.folios.mapcountOf(folio) > 0 && !this.isFullFor(this.memcgOf(folio))) return;
    this.folios.refcount[folio]! += 1;
    this.freeSwap(folio);
    this.memory.release.put(cpu, folio);
  }

  /**
   * swap_writeout(): writes a folio in the swap cache to its slots. One of zeroes alone is only marked
   * as such (SWP-09). PG_dirty and nr_vmscan_write are the caller's.
   * @returns whether it is written when this returns
   */
  write(folio: number): boolean {
    const { contents, order } = this.folios;
    const pages = this.folios.nrPagesOf(folio);
    const slot = this.firstSlot(folio);
    const zero = this.isZeroFilled(folio, pages);
    this.table.zeroMarks.fill(zero ? 1 : 0, slot, slot + pages);
    if (zero) {
      this.count(OUT_ZERO, folio, pages);
      return true;
    }
    this.device.write(slot, pages, contents, folio);
    this.count(OUT, folio, pages);
    if (pages > 1 && order[folio] === HUGE_ORDER) this.count(HUGE_OUT, folio, 1);
    return this.device.synchronous;
  }

  /** swap_read_folio(): fills a folio in the swap cache from its slots, which are all marked or none. */
  read(folio: number): void {
    const { contents } = this.folios;
    const pages = this.folios.nrPagesOf(folio);
    const slot = this.firstSlot(folio);
    if (this.table.zeroMarks[slot] === 1) {
      contents.fill(0, folio, folio + pages);
      this.count(IN_ZERO, folio, pages);
      return;
    }
    this.device.read(slot, pages, contents, folio);
    this.count(IN, folio, pages);
  }

  /** __swap_cache_add_folio(): membership, references and counters. */
  private enter(folio: number, slot: number, pages: number): void {
    const { flags, refcount, swap, memcg } = this.folios;
    for (let i = 0; i < pages; i++) swap[folio + i] = slot + i;
    flags[folio]! |= SWAPCACHE;
    refcount[folio]! += pages;
    this.memory.states.add(SWAPCACHED, memcg[folio] as number, pages);
  }

  /** swap_entries_free(): the slot holds nothing, for the device and the memcg. */
  private freed(slot: number): void {
    this.device.free(slot, 1);
    const memcg = this.memory.memcgs[this.table.memcgs[slot] as number] as Memcg;
    if (memcg.parent !== null) memcg.swap.uncharge(1);
  }

  private isZeroFilled(folio: number, pages: number): boolean {
    const { contents } = this.folios;
    for (let page = folio; page < folio + pages; page++) if (contents[page] !== 0) return false;
    return true;
  }

  private count(id: number, folio: number, amount: number): void {
    this.memory.countEvents(id, this.memcgOf(folio), amount);
  }

  private memcgOf(folio: number): Memcg {
    return this.memory.memcgs[this.folios.memcg[folio] as number] as Memcg;
  }
}
