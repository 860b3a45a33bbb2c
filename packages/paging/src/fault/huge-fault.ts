import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  type Memory,
  NIL,
  PG_ANON_EXCLUSIVE,
  PG_UPTODATE,
  type Task,
  THP_FAULT_ALLOC,
  THP_FAULT_FALLBACK,
  THP_FAULT_FALLBACK_CHARGE,
  VM_HUGEPAGE,
  type Vma,
} from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import { CHARGE_FULL, CHARGE_NOWAIT } from "../charge/charge-kind.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import { type HugeZero, NO_HUGE_ZERO } from "../thp/huge-zero.ts";
import type { PmdSplit } from "../thp/split-pmd.ts";
import { PAGES_PER_PMD, PMD_ORDER } from "../thp/thp-config.ts";
import { FAULT_NONE, FAULT_OOM } from "./fault-codes.ts";

/** The PMD level cannot do it: go on with PTEs, in the same fault. */
export const FAULT_FALLBACK: number = 0x800;

const WRITABLE = ENTRY_WRITE | ENTRY_ACCESSED | ENTRY_DIRTY;
const WRITTEN_LEAF = ENTRY_PRESENT | ENTRY_LEAF | WRITABLE;

/**
 * Faults that a 2 MiB folio mapped by one PMD entry can serve.
 * Source: FLT-15, CNT-01, CNT-02; mm/huge_memory.c.
 */
export class HugeFault {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;
  private readonly hugeZero: HugeZero;
  private readonly charge: Charge;
  private readonly pmdSplit: PmdSplit;

  constructor(
    memory: Memory,
    maps: FolioMaps,
    hugeZero: HugeZero,
    pmdSplit: PmdSplit,
    charge: Charge,
  ) {
    this.memory = memory;
    this.charge = charge;
    this.maps = maps;
    this.hugeZero = hugeZero;
    this.pmdSplit = pmdSplit;
  }

  /**
   * do_huge_pmd_anonymous_page(): the huge zero folio for a read, a fresh folio for a write.
   * @param pmdSlot of the PMD entry of `vpn`, which is empty
   * @returns FAULT_NONE or FAULT_FALLBACK
   */
  anon(task: Task, vma: Vma, vpn: number, pmdSlot: number, write: boolean): number {
    const first = vpn - (vpn % PAGES_PER_PMD);
    if (first < vma.start || first + PAGES_PER_PMD > vma.end) return FAULT_FALLBACK;
    // Also for a read: it is what makes fork copy the page tables of the VMA.
    if (!this.charge.kernel.prepareAnonVma(task, vma)) return FAULT_OOM;
    if (write) return this.mapNew(task, vma, first, pmdSlot);
    if (!this.charge.kernel.deposit(task, vma.mm, pmdSlot)) return FAULT_OOM;
    const zero = this.hugeZero.pmd();
    if (zero === NO_HUGE_ZERO) {
      this.charge.kernel.freeDeposit(task.cpu, vma.mm, pmdSlot);
      this.memory.vmstat.add(THP_FAULT_FALLBACK, 1);
      return FAULT_FALLBACK;
    }
    this.memory.pageTables.entries[pmdSlot] = zero;
    return FAULT_NONE;
  }

  /**
   * do_huge_pmd_wp_page(): a write to a leaf that is not writable. The huge zero folio is replaced,
   * a folio that nobody else holds is reused; otherwise the leaf is split for a copy of one page.
   * @returns FAULT_NONE or FAULT_FALLBACK
   */
  writeProtect(task: Task, vma: Vma, vpn: number, pmdSlot: number): number {
    const { folios, pageTables } = this.memory;
    const leaf = pageTables.entries[pmdSlot] as number;
    if (leaf & ENTRY_SPECIAL) {
      if (this.replaceZero(task, vma, vpn, pmdSlot) === FAULT_NONE) return FAULT_NONE;
    } else {
      const folio = leaf >>> ENTRY_SHIFT;
      const exclusive = ((folios.flags[folio] as number) & PG_ANON_EXCLUSIVE) !== 0;
      if (exclusive || folios.refcount[folio] === 1) {
        if (!exclusive) this.maps.moveToVma(folio, vma);
        folios.flags[folio]! |= PG_ANON_EXCLUSIVE;
        pageTables.entries[pmdSlot] = leaf | WRITABLE;
        return FAULT_NONE;
      }
    }
    this.pmdSplit.split(task.cpu, vma, pmdSlot, vpn);
    return FAULT_FALLBACK;
  }

  /** do_huge_zero_wp_pmd(). */
  private replaceZero(task: Task, vma: Vma, vpn: number, pmdSlot: number): number {
    const first = vpn - (vpn % PAGES_PER_PMD);
    invalidateStart(vma.mm, first, first + PAGES_PER_PMD);
    const result = this.mapNew(task, vma, first, pmdSlot);
    invalidateEnd(vma.mm, first, first + PAGES_PER_PMD);
    return result;
  }

  private mapNew(task: Task, vma: Vma, first: number, pmdSlot: number): number {
    const { memory, charge } = this;
    const { mm } = vma;
    const kind = hugeChargeKind(vma);
    const folio = charge.reclaim.allocPages(task, PMD_ORDER, kind);
    if (folio === NIL || !charge.chargeFolio(task, folio, PMD_ORDER, mm.memcg, kind)) {
      memory.vmstat.add(THP_FAULT_FALLBACK, 1);
      if (folio !== NIL) memory.vmstat.add(THP_FAULT_FALLBACK_CHARGE, 1);
      return FAULT_FALLBACK;
    }
    const isReplacing = memory.pageTables.entries[pmdSlot] !== 0;
    if (!isReplacing && !charge.kernel.deposit(task, mm, pmdSlot)) {
      memory.release.put(task.cpu, folio);
      return FAULT_OOM;
    }
    memory.folios.flags[folio]! |= PG_UPTODATE;
    this.maps.newAnon(folio, vma, first, true);
    memory.batches.addVma(task, folio, vma);
    memory.pageTables.entries[pmdSlot] = (folio << ENTRY_SHIFT) | WRITTEN_LEAF;
    mm.anonPages += PAGES_PER_PMD;
    // It may turn out to be mostly zeroes: split_underused_thp is on by default (FOL-13).
    memory.deferredSplit.add(folio, memory.allocator.nodeOf(folio));
    memory.countEvents(THP_FAULT_ALLOC, mm.memcg, 1);
    return FAULT_NONE;
  }
}

/** vma_thp_gfp_mask() with defrag `madvise`, the default: only advised ranges wait for memory (CHG-23). */
function hugeChargeKind(vma: Vma): number {
  return vma.flags & VM_HUGEPAGE ? CHARGE_FULL : CHARGE_NOWAIT;
}
