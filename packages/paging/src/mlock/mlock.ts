import {
  EAGAIN,
  EINVAL,
  ENOMEM,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type Memory,
  type Mm,
  type Task,
  type Vma,
  VM_ACCESS_FLAGS,
  VM_LOCKED,
  VM_SHARED,
  VM_SPECIAL,
  VM_WRITE,
} from "@lrugen/mm-core";
import { FAULT_BY_MLOCK } from "../fault/fault-handler.ts";
import type { Populate } from "../gup/populate.ts";
import { walkPmds } from "../page-table/pmd-walk.ts";
import { pteBatch } from "../page-table/pte-batch.ts";
import { slotIn } from "../page-table/slot.ts";
import { TASK_SIZE_PAGES } from "../vma/map.ts";
import type { ModifyVma } from "../vma/modify-vma.ts";

/**
 * mlock() and munlock().
 * Source: VMA-01, BATCH-32, REF-29; mm/mlock.c.
 */
export class Mlock {
  private readonly memory: Memory;
  private readonly modify: ModifyVma;
  private readonly populate: Populate;

  constructor(memory: Memory, modify: ModifyVma, populate: Populate) {
    this.memory = memory;
    this.modify = modify;
    this.populate = populate;
  }

  /**
   * Locks a range: first what is there, then the rest is faulted in, for writing where the VMA allows
   * it. What was locked before an error stays locked.
   * @returns 0; −EINVAL for a range beyond user addresses, −ENOMEM where something is unmapped or
   *   inaccessible, −EAGAIN out of memory
   */
  mlock(task: Task, start: number, pages: number): number {
    const error = this.apply(task, start, pages, true);
    return error === 0 ? this.populateLocked(task, start, start + pages) : error;
  }

  /** Unlocks a range. @returns 0, −EINVAL or −ENOMEM as mlock */
  munlock(task: Task, start: number, pages: number): number {
    return this.apply(task, start, pages, false);
  }

  /** apply_vma_lock_flags(): VMA by VMA up to the first hole. */
  private apply(task: Task, start: number, pages: number, lock: boolean): number {
    const mm = task.mm as Mm;
    const end = start + pages;
    if (pages < 0 || start < 0 || end > TASK_SIZE_PAGES) return -EINVAL;
    for (let from = start; from < end;) {
      const vma = mm.vmaAt(from);
      if (vma === null) return -ENOMEM;
      const to = Math.min(end, vma.end);
      this.fixup(task, vma, from, to, lock);
      from = to;
    }
    return 0;
  }

  /** mlock_fixup(): special VMAs are never locked, and locking twice does nothing. */
  private fixup(task: Task, vma: Vma, start: number, end: number, lock: boolean): void {
    const flags = lock ? vma.flags | VM_LOCKED : vma.flags & ~VM_LOCKED;
    if (flags === vma.flags || vma.flags & VM_SPECIAL) return;
    const target = this.modify.setFlags(task.cpu, vma, start, end, flags);
    this.lockPages(task, target, start, end);
  }

  /** mlock_vma_pages_range(): between two drains, so that it finds the folios on the LRU and leaves none queued. */
  private lockPages(task: Task, vma: Vma, start: number, end: number): void {
    const { batches, pageTables } = this.memory;
    batches.drain(task.cpu);
    walkPmds(pageTables, vma.mm.pgd, start, end, (pmdSlot, from, to) => {
      const pmd = pageTables.entries[pmdSlot] as number;
      if ((pmd & ENTRY_LEAF) === 0) {
        this.lockPtes(task, vma, slotIn(pmd >>> ENTRY_SHIFT, from), from, to);
      } else if ((pmd & ENTRY_SPECIAL) === 0) {
        this.lockFolio(task, vma, pmd >>> ENTRY_SHIFT);
      }
    });
    batches.drain(task.cpu);
  }

  /** mlock_pte_range(). */
  private lockPtes(task: Task, vma: Vma, first: number, start: number, end: number): void {
    const { folios, pageTables } = this.memory;
    for (let vpn = start; vpn < end; vpn++) {
      const slot = first + (vpn - start);
      const entry = pageTables.entries[slot] as number;
      if ((entry & ENTRY_PRESENT) === 0 || entry & ENTRY_SPECIAL) continue;
      const folio = folios.folioOf(entry >>> ENTRY_SHIFT);
      const step = pteBatch(pageTables, folios, folio, slot, end - vpn);
      // A large folio is locked only when all of it is mapped in the range; any part is unlocked.
      const locked = (vma.flags & VM_LOCKED) !== 0;
      if (!locked || step === folios.nrPagesOf(folio)) this.lockFolio(task, vma, folio);
      vpn += step - 1;
    }
  }

  private lockFolio(task: Task, vma: Vma, folio: number): void {
    const { batches } = this.memory;
    if (vma.flags & VM_LOCKED) batches.mlock(task.cpu, folio);
    else batches.munlock(task.cpu, folio);
  }

  /** __mm_populate(), with a drain after each VMA and the errors that mlock() reports for its own. */
  private populateLocked(task: Task, start: number, end: number): number {
    const mm = task.mm as Mm;
    for (let from = start; from < end;) {
      const vma = mm.vmaAt(from) as Vma;
      const to = Math.min(end, vma.end);
      if ((vma.flags & VM_ACCESS_FLAGS) === 0) return -ENOMEM;
      const write = (vma.flags & (VM_WRITE | VM_SHARED)) === VM_WRITE;
      const error = this.populate.range(task, vma, from, to, write, FAULT_BY_MLOCK);
      this.memory.batches.drain(task.cpu);
      if (error !== 0) return error === -ENOMEM ? -EAGAIN : -ENOMEM;
      from = to;
    }
    return 0;
  }
}
