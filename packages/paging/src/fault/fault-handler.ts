// @hot
import {
  ENTRY_LEAF,
  type Memory,
  type Task,
  type Vma,
  VM_ACCESS_FLAGS,
  VM_WRITE,
} from "@lrugen/mm-core";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { slotIn } from "../page-table/slot.ts";
import { HugeZero } from "../thp/huge-zero.ts";
import type { PmdSplit } from "../thp/split-pmd.ts";
import { PMD_ORDER, type ThpConfig } from "../thp/thp-config.ts";
import { AnonFault } from "./anon-fault.ts";
import { CopyOnWrite } from "./copy-on-write.ts";
import { FAULT_NONE, FAULT_SIGSEGV } from "./fault-codes.ts";
import { FAULT_FALLBACK, HugeFault } from "./huge-fault.ts";

const LEAF = ENTRY_LEAF;
const ACCESSIBLE = VM_ACCESS_FLAGS;
const WRITABLE = VM_WRITE;
const HUGE_ORDER = PMD_ORDER;
const NONE = FAULT_NONE;
const SIGSEGV = FAULT_SIGSEGV;
const FALLBACK = FAULT_FALLBACK;

/**
 * Decides which handler a fault belongs to, PMD level first.
 * Source: FLT-01, FLT-02; mm/memory.c:handle_mm_fault, arch/x86/mm/fault.c.
 */
export class FaultHandler {
  /** The machine's huge zero folio. */
  readonly hugeZero: HugeZero;
  private readonly memory: Memory;
  private readonly thp: ThpConfig;
  private readonly anonFault: AnonFault;
  private readonly hugeFault: HugeFault;
  private readonly copyOnWrite: CopyOnWrite;

  constructor(memory: Memory, maps: FolioMaps, thp: ThpConfig, pmdSplit: PmdSplit) {
    this.memory = memory;
    this.hugeZero = new HugeZero(memory);
    this.thp = thp;
    this.anonFault = new AnonFault(memory, maps, thp);
    this.hugeFault = new HugeFault(memory, maps, this.hugeZero, pmdSplit);
    this.copyOnWrite = new CopyOnWrite(memory, maps);
  }

  /** A page fault taken by the CPU: no VMA, or one without the permission, is a SIGSEGV. */
  user(task: Task, vpn: number, write: boolean): number {
    const vma = task.mm?.vmaAt(vpn) ?? null;
    if (vma === null || (vma.flags & (write ? WRITABLE : ACCESSIBLE)) === 0) {
      return SIGSEGV;
    }
    return this.handle(task, vma, vpn, write);
  }

  /**
   * handle_mm_fault(): makes a page accessible that is not, for the CPU or for GUP. One that
   * succeeds counts as a minor fault of the address space.
   * @returns FAULT_NONE or FAULT_OOM
   */
  handle(task: Task, vma: Vma, vpn: number, write: boolean): number {
    task.inLruFault = vma.hasRecency;
    const result = this.dispatch(task, vma, vpn, write);
    task.inLruFault = false;
    if (result === NONE) vma.mm.minorFaults += 1;
    return result;
  }

  private dispatch(task: Task, vma: Vma, vpn: number, write: boolean): number {
    const { pageTables } = this.memory;
    const { entries } = pageTables;
    const pmdSlot = pageTables.makePmdSlot(vma.mm.pgd, vpn);
    const pmd = entries[pmdSlot] as number;
    let result = FALLBACK;
    if (pmd & LEAF) {
      result = this.hugeFault.writeProtect(task, vma, vpn, pmdSlot);
    } else if (pmd === 0 && this.thp.allowedOrders(vma.flags) & (1 << HUGE_ORDER)) {
      result = this.hugeFault.anon(task, vma, vpn, pmdSlot, write);
    }
    if (result !== FALLBACK) return result;
    const slot = slotIn(pageTables.tableBelow(pmdSlot), vpn);
    return entries[slot] === 0
      ? this.anonFault.handle(task, vma, vpn, slot, write)
      : this.copyOnWrite.handle(task, vma, vpn, slot);
  }
}
