// @hot
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_WRITE,
  type Memory,
  NIL,
  PG_UPTODATE,
  type Task,
  type Vma,
} from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import { CHARGE_FULL } from "../charge/charge-kind.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { zeroPte } from "../page-table/zero-pte.ts";
import { MIN_ANON_ORDER, PMD_ORDER, type ThpConfig } from "../thp/thp-config.ts";
import { FAULT_NONE, FAULT_OOM } from "./fault-codes.ts";

const SHIFT = ENTRY_SHIFT;
const NO_FOLIO = NIL;
const UPTODATE = PG_UPTODATE;
const MIN_ORDER = MIN_ANON_ORDER;
const HUGE_ORDER = PMD_ORDER;
const NONE = FAULT_NONE;
const OOM = FAULT_OOM;
const FULL = CHARGE_FULL;

/** PTE of a freshly written page: a write fault implies that the VMA is writable (FLT-13). */
const WRITTEN = ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED | ENTRY_DIRTY;

/**
 * Faults on anonymous memory that no PTE maps yet.
 * Source: FLT-10..FLT-13, FLT-16; mm/memory.c:do_anonymous_page.
 */
export class AnonFault {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;
  private readonly thp: ThpConfig;
  private readonly charge: Charge;
  private readonly zero: number;

  constructor(memory: Memory, maps: FolioMaps, thp: ThpConfig, charge: Charge) {
    this.memory = memory;
    this.charge = charge;
    this.maps = maps;
    this.thp = thp;
    this.zero = zeroPte(memory);
  }

  /**
   * Maps the zero page for a read, a fresh folio of the largest possible order for a write.
   * @param slot of the PTE of `vpn`, which is empty
   * @returns FAULT_NONE or FAULT_OOM
   */
  handle(task: Task, vma: Vma, vpn: number, slot: number, write: boolean): number {
    if (!write) {
      this.memory.pageTables.entries[slot] = this.zero;
      return NONE;
    }
    if (!this.charge.kernel.prepareAnonVma(task, vma)) return OOM;
    const folio = this.allocate(task, vma, vpn, slot);
    if (folio === NO_FOLIO) return OOM;
    this.map(task, vma, vpn, slot, folio);
    return NONE;
  }

  /** alloc_anon_folio(): from the highest enabled order whose aligned block is empty and in the VMA (FLT-11). */
  private allocate(task: Task, vma: Vma, vpn: number, slot: number): number {
    const { charge } = this;
    const { memcg } = vma.mm;
    const orders = this.thp.allowedOrders(vma.flags);
    for (let order = HUGE_ORDER - 1; order >= MIN_ORDER; order--) {
      if ((orders & (1 << order)) === 0) continue;
      const pages = 1 << order;
      const before = slot & (pages - 1);
      if (vpn - before < vma.start || vpn - before + pages > vma.end) continue;
      if (!this.isNone(slot - before, pages)) continue;
      const folio = charge.allocFolio(task, order, memcg, FULL);
      if (folio !== NO_FOLIO) return folio;
    }
    return charge.allocFolio(task, 0, memcg, FULL);
  }

  /** map_anon_folio_pte(): on the LRU, or on its way, before the first PTE shows it (FLT-16). */
  private map(task: Task, vma: Vma, vpn: number, slot: number, folio: number): void {
    const { folios, pageTables, batches } = this.memory;
    const pages = folios.nrPagesOf(folio);
    // Tables are aligned, so slots are as well; a virtual page number would be a double.
    const before = slot & (pages - 1);
    folios.flags[folio]! |= UPTODATE;
    folios.refcount[folio]! += pages - 1;
    vma.mm.anonPages += pages;
    this.maps.newAnon(folio, vma, vpn - before, false);
    batches.addVma(task, folio, vma);
    const { entries } = pageTables;
    const first = slot - before;
    for (let i = 0; i < pages; i++) entries[first + i] = ((folio + i) << SHIFT) | WRITTEN;
  }

  private isNone(slot: number, count: number): boolean {
    const { entries } = this.memory.pageTables;
    for (let i = slot; i < slot + count; i++) if (entries[i] !== 0) return false;
    return true;
  }
}
