// @hot
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SWAP_EXCLUSIVE,
  ENTRY_WRITE,
  type FolioTable,
  type Memory,
  NIL,
  PGMAJFAULT,
  type Task,
  type Vma,
  VM_WRITE,
} from "@lrugen/mm-core";
import type { CopyOnWrite } from "../fault/copy-on-write.ts";
import { FAULT_MAJOR, FAULT_NONE, FAULT_OOM } from "../fault/fault-codes.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { MIN_ANON_ORDER, PMD_ORDER, type ThpConfig } from "../thp/thp-config.ts";
import type { Swap } from "./swap.ts";
import type { SwapCache } from "./swap-cache.ts";
import type { SwapIn } from "./swap-in.ts";

const SHIFT = ENTRY_SHIFT;
const EXCLUSIVE = ENTRY_SWAP_EXCLUSIVE;
const DIRTY = ENTRY_DIRTY;
const WRITE = ENTRY_WRITE;
const MAPPED = ENTRY_PRESENT | ENTRY_ACCESSED;
const WRITABLE_VMA = VM_WRITE;
const NO_FOLIO = NIL;
const HUGE_ORDER = PMD_ORDER;
const MIN_ORDER = MIN_ANON_ORDER;
const MAJOR = FAULT_MAJOR;
const MAJOR_FAULTS = PGMAJFAULT;
const NONE = FAULT_NONE;
const OOM = FAULT_OOM;
const TABLE_ENTRIES = 512;

/**
 * Faults on anonymous pages that are swapped out, on a synchronous device: no readahead, and the swap
 * cache is left as soon as the last entry is mapped.
 * Source: FLT-40..FLT-47; mm/memory.c:do_swap_page.
 */
export class SwapFault {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly entries: Int32Array;
  private readonly cache: SwapCache;
  private readonly swapIn: SwapIn;
  private readonly maps: FolioMaps;
  private readonly thp: ThpConfig;
  private readonly copyOnWrite: CopyOnWrite;

  constructor(
    memory: Memory,
    maps: FolioMaps,
    thp: ThpConfig,
    swap: Swap,
    copyOnWrite: CopyOnWrite,
  ) {
    this.memory = memory;
    this.folios = memory.folios;
    this.entries = memory.pageTables.entries;
    this.cache = swap.cache;
    this.swapIn = swap.swapIn;
    this.maps = maps;
    this.thp = thp;
    this.copyOnWrite = copyOnWrite;
  }

  /**
   * Maps the page from the swap cache, read into it if need be; then it is a major fault (FLT-40).
   * @param pteSlot of the PTE of `vpn`, a swap entry
   * @returns FAULT_* bits
   */
  handle(task: Task, vma: Vma, vpn: number, pteSlot: number, write: boolean): number {
    const entry = this.entries[pteSlot] as number;
    const slot = entry >>> SHIFT;
    let folio = this.cache.lookup(slot);
    const major = folio === NO_FOLIO ? MAJOR : NONE;
    if (folio === NO_FOLIO) {
      folio = this.read(task, vma, vpn, pteSlot, slot);
      if (folio === NO_FOLIO) return OOM;
      this.memory.countEvents(MAJOR_FAULTS, vma.mm.memcg, 1);
    } else {
      this.folios.refcount[folio]! += 1;
    }
    this.map(task, vma, vpn, pteSlot, folio, write);
    if (!write || (this.entries[pteSlot] as number) & WRITE) return major;
    return this.copyOnWrite.handle(task, vma, vpn, pteSlot) | major;
  }

  /** alloc_swap_folio(): from the highest allowed order whose aligned block was swapped out together. */
  private read(task: Task, vma: Vma, vpn: number, pteSlot: number, slot: number): number {
    const owner = vma.mm.memcg;
    const orders = this.thp.allowedOrders(vma.flags);
    for (let order = HUGE_ORDER - 1; order >= MIN_ORDER; order--) {
      if ((orders & (1 << order)) === 0) continue;
      const pages = 1 << order;
      const before = pteSlot & (pages - 1);
      if (before !== (slot & (pages - 1))) continue;
      if (vpn - before < vma.start || vpn - before + pages > vma.end) continue;
      if (!this.isRun(pteSlot - before, slot - before, pages, pteSlot)) continue;
      if (!this.swapIn.isReadable(slot, order)) continue;
      const folio = this.swapIn.read(task, slot, order, owner);
      if (folio !== NO_FOLIO) return folio;
    }
    return this.swapIn.read(task, slot, 0, owner);
  }

  /** Whether `pages` PTEs from `first` are entries of consecutive slots, as exclusive as that at `like`. */
  private isRun(first: number, slot: number, pages: number, like: number): boolean {
    const bits = (this.entries[like] as number) & EXCLUSIVE;
    for (let i = 0; i < pages; i++) {
      if (this.entries[first + i] !== (((slot + i) << SHIFT) | bits)) return false;
    }
    return true;
  }

  /**
   * All of a large folio is mapped if all of it was here, otherwise the page alone. The caller's
   * reference becomes that of a mapping (FLT-42). The swap cache is left if that was the last of it
   * (FLT-46).
   */
  private map(
    task: Task,
    vma: Vma,
    vpn: number,
    pteSlot: number,
    folio: number,
    write: boolean,
  ): void {
    const { folios, entries } = this;
    const entry = entries[pteSlot] as number;
    const pages = folios.nrPagesOf(folio);
    const at = (entry >>> SHIFT) - this.cache.firstSlot(folio);
    const whole = pages > 1 && this.fitsWhole(vma, vpn, pteSlot, at, pages);
    const before = whole ? at : 0;
    const count = whole ? pages : 1;
    const pfn = folio + at - before;
    const exclusive = (entry & EXCLUSIVE) !== 0;
    let bits = MAPPED;
    if (exclusive && vma.flags & WRITABLE_VMA) bits |= write ? WRITE | DIRTY : WRITE;
    vma.mm.swapEntries -= count;
    vma.mm.anonPages += count;
    folios.refcount[folio]! += count - 1;
    this.maps.addAnonPtes(task.cpu, folio, pfn, count, vma, vpn - before, exclusive);
    const first = pteSlot - before;
    for (let i = 0; i < count; i++) entries[first + i] = ((pfn + i) << SHIFT) | bits;
    const slot = (entry >>> SHIFT) - before;
    for (let i = slot; i < slot + count; i++) this.cache.put(i);
    this.cache.freeSwap(folio);
  }

  /** @param at page of the folio that `pteSlot` stands for */
  private fitsWhole(vma: Vma, vpn: number, pteSlot: number, at: number, pages: number): boolean {
    const first = pteSlot - at;
    if (vpn - at < vma.start || vpn - at + pages > vma.end) return false;
    const inTable = (pteSlot & (TABLE_ENTRIES - 1)) - at;
    if (inTable < 0 || inTable + pages > TABLE_ENTRIES) return false;
    const slot = (this.entries[pteSlot] as number) >>> SHIFT;
    return this.isRun(first, slot - at, pages, pteSlot);
  }
}
