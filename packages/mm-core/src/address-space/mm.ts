import type { MmuNotifier } from "../interfaces/mmu-notifier.ts";
import type { Memcg } from "../memcg/memcg.ts";
import { MmListEntry } from "../memcg/mm-list.ts";
import type { Vma } from "./vma.ts";

/**
 * An address space: its VMAs, the root of its page tables, its place in a memcg's mm list.
 * Source: CSW-01, LAY-07; include/linux/mm_types.h:struct mm_struct.
 */
export class Mm {
  /** Number from 1, in order of creation. */
  readonly id: number;
  /** Top-level page table (PageTables number). */
  readonly pgd: number;
  /** Memcg that new memory is charged to: that of the owner task. */
  memcg: Memcg;
  /** VMAs in ascending address order. */
  readonly vmas: Vma[] = [];
  /** mm.lru_gen: link in the mm list of `listedIn`, and the "ran since the last walk" bits (CSW-02). */
  readonly lruGen: MmListEntry = new MmListEntry(this);
  lruGenBitmap = 0;
  /** Memcg whose list holds this mm, null = not listed (CSW-30). */
  listedIn: Memcg | null = null;
  /** Subscribed secondary MMUs; hasNotifiers stays true once one was (S2-OBS-03). */
  readonly notifiers: MmuNotifier[] = [];
  hasNotifiers = false;
  /** Resident pages by kind: MM_ANONPAGES, MM_FILEPAGES, MM_SWAPENTS. */
  anonPages = 0;
  filePages = 0;
  swapEntries = 0;
  /** Faults of the tasks that run here. */
  minorFaults = 0;
  majorFaults = 0;
  /** Pages of page tables charged for it (CHG-42). */
  tablePages = 0;
  /** The OOM killer chose its tasks; they die when they next leave the kernel (CHG-52). */
  oomVictim = false;
  /** Cache of the last PMD table used, by 1 GiB unit; -1 = none. */
  lastGib = -1;
  lastPmdTable = 0;
  private lastVma: Vma | null = null;

  constructor(id: number, pgd: number, memcg: Memcg) {
    this.id = id;
    this.pgd = pgd;
    this.memcg = memcg;
  }

  /** vma_lookup(): the VMA that contains a virtual page, or null. */
  vmaAt(vpn: number): Vma | null {
    const last = this.lastVma;
    if (last !== null && vpn >= last.start && vpn < last.end) return last;
    const vma = this.firstVmaEndingAfter(vpn);
    if (vma === null || vpn < vma.start) return null;
    this.lastVma = vma;
    return vma;
  }

  /** find_vma(): the first VMA that ends after a virtual page, or null. */
  firstVmaEndingAfter(vpn: number): Vma | null {
    return this.vmas[this.indexEndingAfter(vpn)] ?? null;
  }

  /** Index into `vmas` of find_vma(); `vmas.length` when there is none. */
  indexEndingAfter(vpn: number): number {
    let low = 0;
    let high = this.vmas.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.vmas[mid]!.end <= vpn) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  /** Puts a VMA in its place. The range must be free. */
  insertVma(vma: Vma): void {
    this.vmas.splice(this.indexEndingAfter(vma.start), 0, vma);
  }

  /**
   * Takes a VMA out of the address space; its pages are the caller's business.
   * @throws Error when the VMA is not in it
   */
  removeVma(vma: Vma): void {
    const at = this.vmas.indexOf(vma);
    if (at < 0) throw new Error("removed a VMA that is not in the address space");
    this.vmas.splice(at, 1);
    if (this.lastVma === vma) this.lastVma = null;
  }

  /** Forgets the cached page table, after tables were freed. */
  forgetTables(): void {
    this.lastGib = -1;
    this.lastPmdTable = 0;
  }
}
