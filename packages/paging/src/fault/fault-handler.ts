// @hot
import {
  ENTRY_LEAF,
  ENTRY_PRESENT,
  type Memory,
  NO_ENTRY,
  PGFAULT,
  type Task,
  type Vma,
  VM_ACCESS_FLAGS,
  VM_SHARED,
  VM_WRITE,
} from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import { type KernelMemory, NO_TABLE } from "../charge/kernel-memory.ts";
import type { Filemap } from "../file/filemap.ts";
import type { Readahead } from "../file/readahead.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { slotIn } from "../page-table/slot.ts";
import type { Swap } from "../swap/swap.ts";
import { SwapFault } from "../swap/swap-fault.ts";
import { HugeZero } from "../thp/huge-zero.ts";
import type { PmdSplit } from "../thp/split-pmd.ts";
import { PMD_ORDER, type ThpConfig } from "../thp/thp-config.ts";
import { AnonFault } from "./anon-fault.ts";
import { CopyOnWrite } from "./copy-on-write.ts";
import {
  FAULT_ERROR,
  FAULT_MAJOR,
  FAULT_NONE,
  FAULT_OOM,
  FAULT_RETRY,
  FAULT_SIGSEGV,
} from "./fault-codes.ts";
import { FileFault } from "./file-fault.ts";
import { FAULT_FALLBACK, HugeFault } from "./huge-fault.ts";

const TABLE_REFUSED = NO_TABLE;
const FAULTS = PGFAULT;
const LEAF = ENTRY_LEAF;
const PRESENT = ENTRY_PRESENT;
const ACCESSIBLE = VM_ACCESS_FLAGS;
const SHARED = VM_SHARED;
const WRITABLE = VM_WRITE;
const HUGE_ORDER = PMD_ORDER;
const ERROR = FAULT_ERROR;
const MAJOR = FAULT_MAJOR;
const NONE = FAULT_NONE;
const OOM = FAULT_OOM;
const RETRY = FAULT_RETRY;
const NO_SLOT = NO_ENTRY;
const SIGSEGV = FAULT_SIGSEGV;
const FALLBACK = FAULT_FALLBACK;

/** Who takes a fault decides what one taken twice counts as (see FaultHandler.handle): the CPU, */
const BY_CPU = 0;
/** MADV_POPULATE, */
export const FAULT_BY_POPULATE: number = 1;
/** or mlock. */
export const FAULT_BY_MLOCK: number = 2;
const BY_MLOCK = FAULT_BY_MLOCK;

/** What the handlers of file mappings read and write through. */
export interface FaultFiles {
  readonly filemap: Filemap;
  readonly readahead: Readahead;
}

/**
 * Decides which handler a fault belongs to, PMD level first.
 * Source: FLT-01, FLT-02; mm/memory.c:handle_mm_fault, arch/x86/mm/fault.c.
 */
export class FaultHandler {
  /** The machine's huge zero folio. */
  readonly hugeZero: HugeZero;
  private readonly memory: Memory;
  private readonly thp: ThpConfig;
  private readonly kernel: KernelMemory;
  private readonly anonFault: AnonFault;
  private readonly hugeFault: HugeFault;
  private readonly fileFault: FileFault;
  private readonly copyOnWrite: CopyOnWrite;
  private readonly swapFault: SwapFault;

  constructor(
    memory: Memory,
    maps: FolioMaps,
    thp: ThpConfig,
    pmdSplit: PmdSplit,
    files: FaultFiles,
    charge: Charge,
    swap: Swap,
  ) {
    this.kernel = charge.kernel;
    this.memory = memory;
    this.hugeZero = new HugeZero(memory);
    this.thp = thp;
    this.anonFault = new AnonFault(memory, maps, thp, charge);
    this.hugeFault = new HugeFault(memory, maps, this.hugeZero, pmdSplit, charge);
    this.fileFault = new FileFault(memory, maps, files, charge, swap.shmem);
    this.copyOnWrite = new CopyOnWrite(memory, maps, charge, swap.cache);
    const { copyOnWrite } = this;
    this.swapFault = new SwapFault(memory, maps, thp, swap, copyOnWrite);
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
   * handle_mm_fault(): makes a page accessible that is not. One that succeeds is counted for the
   * address space, as major or minor.
   *
   * A fault that had to read, or that met a readahead mark, is taken again, and how depends on the
   * caller (seen on 7.3.4). The CPU's counts as major if it had to read; MADV_POPULATE's always;
   * mlock's is another fault altogether, after a drain, and minor, as it finds the page.
   *
   * @param caller FAULT_BY_POPULATE, FAULT_BY_MLOCK, or left out for the CPU
   * @returns FAULT_NONE, FAULT_OOM or FAULT_SIGBUS
   */
  handle(task: Task, vma: Vma, vpn: number, write: boolean, caller: number = BY_CPU): number {
    let result = this.attempt(task, vma, vpn, write, false);
    let major = (result & MAJOR) !== 0;
    if (result & RETRY) {
      major = caller === BY_CPU ? (result & MAJOR) !== 0 : caller !== BY_MLOCK;
      if (caller === BY_MLOCK) this.memory.batches.drain(task.cpu);
      result = this.attempt(task, vma, vpn, write, major);
      // Memory is so short that what was read is gone again: now the lock is kept.
      if (result & RETRY) result = this.attempt(task, vma, vpn, write, true);
    }
    this.memory.countEvents(FAULTS, vma.mm.memcg, 1);
    if ((result & ERROR) !== 0) return result & ERROR;
    if (major) vma.mm.majorFaults += 1;
    else vma.mm.minorFaults += 1;
    return NONE;
  }

  private attempt(task: Task, vma: Vma, vpn: number, write: boolean, tried: boolean): number {
    task.inLruFault = vma.hasRecency;
    const result = this.dispatch(task, vma, vpn, write, tried);
    task.inLruFault = false;
    return result;
  }

  private dispatch(task: Task, vma: Vma, vpn: number, write: boolean, tried: boolean): number {
    const { pageTables } = this.memory;
    const { entries } = pageTables;
    const pmdSlot = this.kernel.pmdSlot(task, vma.mm, vpn);
    if (pmdSlot === NO_SLOT) return OOM;
    const pmd = entries[pmdSlot] as number;
    let result = FALLBACK;
    if (pmd & LEAF) {
      result = this.hugeFault.writeProtect(task, vma, vpn, pmdSlot);
    } else if (pmd === 0 && vma.isAnonymous) {
      if (this.thp.allowedOrders(vma.flags) & (1 << HUGE_ORDER)) {
        result = this.hugeFault.anon(task, vma, vpn, pmdSlot, write);
      }
    }
    return result === FALLBACK ? this.pte(task, vma, vpn, pmdSlot, write, tried) : result;
  }

  /** handle_pte_fault(). */
  private pte(
    task: Task,
    vma: Vma,
    vpn: number,
    pmdSlot: number,
    write: boolean,
    tried: boolean,
  ): number {
    const { pageTables } = this.memory;
    const { entries } = pageTables;
    const anonymous = vma.isAnonymous;
    if (entries[pmdSlot] === 0 && !anonymous) {
      return this.fileFault.handle(task, vma, vpn, pmdSlot, write, tried);
    }
    const table = this.kernel.tableBelow(task, vma.mm, pmdSlot);
    if (table === TABLE_REFUSED) return OOM;
    const slot = slotIn(table, vpn);
    if (entries[slot] === 0) {
      return anonymous
        ? this.anonFault.handle(task, vma, vpn, slot, write)
        : this.fileFault.handle(task, vma, vpn, pmdSlot, write, tried);
    }
    if (((entries[slot] as number) & PRESENT) === 0) {
      return this.swapFault.handle(task, vma, vpn, slot, write);
    }
    return vma.flags & SHARED
      ? this.fileFault.writeShared(task, slot)
      : this.copyOnWrite.handle(task, vma, vpn, slot);
  }
}
