// @hot
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  type Memory,
  NIL,
  PG_ANON_EXCLUSIVE,
  PG_LRU,
  PG_UPTODATE,
  type Task,
  type Vma,
} from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import { CHARGE_FULL } from "../charge/charge-kind.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import type { SwapCache } from "../swap/swap-cache.ts";
import { FAULT_NONE, FAULT_OOM } from "./fault-codes.ts";

const PRESENT = ENTRY_PRESENT;
const SHIFT = ENTRY_SHIFT;
const SPECIAL = ENTRY_SPECIAL;
const NO_FRAME = NIL;
const EXCLUSIVE = PG_ANON_EXCLUSIVE;
const LRU = PG_LRU;
const UPTODATE = PG_UPTODATE;
const NONE = FAULT_NONE;
const OOM = FAULT_OOM;
const FULL = CHARGE_FULL;

const WRITABLE = ENTRY_WRITE | ENTRY_ACCESSED | ENTRY_DIRTY;

/**
 * Writes through a PTE that is present and not writable, in a private mapping.
 * Source: FLT-50, FLT-52, FLT-54; mm/memory.c:do_wp_page.
 */
export class CopyOnWrite {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;
  private readonly charge: Charge;
  private readonly swapCache: SwapCache;

  constructor(memory: Memory, maps: FolioMaps, charge: Charge, swapCache: SwapCache) {
    this.memory = memory;
    this.charge = charge;
    this.maps = maps;
    this.swapCache = swapCache;
  }

  /**
   * Makes the page writable, by reuse where no one else can see it, by a copy otherwise.
   * @param slot of the PTE of `vpn`
   * @returns FAULT_NONE or FAULT_OOM
   */
  handle(task: Task, vma: Vma, vpn: number, slot: number): number {
    const { folios, pageTables } = this.memory;
    const entry = pageTables.entries[slot] as number;
    if (entry & SPECIAL) return this.copy(task, vma, vpn, slot, NO_FRAME);
    const pfn = entry >>> SHIFT;
    if (!this.isAnon(folios.folioOf(pfn))) return this.copy(task, vma, vpn, slot, pfn);
    const exclusive = ((folios.flags[pfn] as number) & EXCLUSIVE) !== 0;
    if (!exclusive && !this.canReuse(task, vma, folios.folioOf(pfn))) {
      return this.copy(task, vma, vpn, slot, pfn);
    }
    folios.flags[pfn]! |= EXCLUSIVE;
    pageTables.entries[slot] = entry | WRITABLE;
    return NONE;
  }

  private isAnon(folio: number): boolean {
    return ((this.memory.folios.mapping[folio] as number) & 1) !== 0;
  }

  /** wp_can_reuse_anon_folio(): nobody else can see the folio. */
  private canReuse(task: Task, vma: Vma, folio: number): boolean {
    return this.memory.folios.isLarge(folio)
      ? this.canReuseLarge(folio)
      : this.canReuseSmall(task, vma, folio);
  }

  /**
   * Only the mapping may hold it. A folio that is not on the LRU may be in a batch, which holds
   * another reference; the local ones are drained to find out. The folio belongs to this VMA from
   * now on. The swap cache holds one too, and is left if no entry needs it (FLT-52).
   */
  private canReuseSmall(task: Task, vma: Vma, folio: number): boolean {
    const { flags, refcount } = this.memory.folios;
    const maybeInBatch = ((flags[folio] as number) & LRU) === 0;
    const cached = this.swapCache.has(folio);
    const most = cached ? 2 : 1;
    if ((refcount[folio] as number) > most + (maybeInBatch ? 1 : 0)) return false;
    if (maybeInBatch) this.memory.batches.drain(task.cpu);
    if ((refcount[folio] as number) > most) return false;
    if (cached) this.swapCache.freeSwap(folio);
    if (refcount[folio] !== 1) return false;
    this.maps.moveToVma(folio, vma);
    return true;
  }

  /**
   * Every reference must be a mapping of this address space. A folio mapped once is copied all the
   * same, so that it can be freed. Its pages may lie in several VMAs, so rmap keeps the anon_vma it
   * knows it by (FLT-54).
   */
  private canReuseLarge(folio: number): boolean {
    const { folios } = this.memory;
    const mapcount = folios.mapcountOf(folio);
    if (mapcount <= 1 || this.maps.maybeShared(folio)) return false;
    if (this.swapCache.has(folio)) this.swapCache.freeSwap(folio);
    return folios.refcount[folio] === mapcount;
  }

  /**
   * wp_page_copy(): a folio of order 0 takes the place of one page, also one of the page cache.
   * @param old frame mapped so far, NIL for the zero page
   */
  private copy(task: Task, vma: Vma, vpn: number, slot: number, old: number): number {
    const { memory, maps } = this;
    const { folios, pageTables, batches, release } = memory;
    const { mm } = vma;
    if (!this.charge.kernel.prepareAnonVma(task, vma)) return OOM;
    const copy = this.charge.allocFolio(task, 0, mm.memcg, FULL);
    if (copy === NO_FRAME) return OOM;
    folios.flags[copy]! |= UPTODATE;
    folios.contents[copy] = old === NO_FRAME ? 0 : (folios.contents[old] as number);
    invalidateStart(mm, vpn, vpn + 1);
    maps.newAnon(copy, vma, vpn, false);
    batches.addVma(task, copy, vma);
    pageTables.entries[slot] = (copy << SHIFT) | PRESENT | WRITABLE;
    if (old === NO_FRAME) mm.anonPages += 1;
    else this.unmapOld(task, vma, old);
    invalidateEnd(mm, vpn, vpn + 1);
    if (old !== NO_FRAME) release.put(task.cpu, folios.folioOf(old));
    return NONE;
  }

  private unmapOld(task: Task, vma: Vma, old: number): void {
    const folio = this.memory.folios.folioOf(old);
    if (!this.isAnon(folio)) {
      vma.mm.filePages -= 1;
      vma.mm.anonPages += 1;
    }
    this.maps.removePtes(task.cpu, folio, old, 1, vma);
  }
}
