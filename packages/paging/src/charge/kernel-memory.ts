import type { Cpu } from "@lrugen/hardware";
import {
  type Memcg,
  type Memory,
  type Mm,
  NO_ENTRY,
  OpenFile,
  type PageTables,
  type Task,
  type Vma,
} from "@lrugen/mm-core";
import type { Charge } from "./charge.ts";
import { CHARGE_FULL } from "./charge-kind.ts";

/** Bytes charged for one object, its owner pointer included (CHG-40). */
const VMA_BYTES: number = 200;
const ANON_VMA_BYTES: number = 104;
const ANON_VMA_CHAIN_BYTES: number = 72;
const FILE_BYTES: number = 200;
/** Behind shared anonymous memory: struct file, dentry and shmem inode, the last from a cache with a constructor. */
const SHARED_MEMORY_BYTES: number = FILE_BYTES + 200 + 704;

/** Virtual pages below one PMD table. */
const PAGES_PER_GIB = 262_144;
/** NO_TABLE: a table could not be charged; no table has this number. */
export const NO_TABLE: number = 0;

/**
 * Kernel memory that is charged to the memcg of the task that needs it: page tables by the page,
 * VMAs and what hangs on them by the byte. The page-global directory belongs to the fork, which is
 * nobody's here. What fork copies is charged by force: it asks for no task.
 * Source: CHG-40, CHG-42; mm/memcontrol.c:obj_cgroup_charge.
 */
export class KernelMemory {
  private readonly memory: Memory;
  private readonly charge: Charge;
  private readonly tables: PageTables;
  /** Whose stock pays for what names no task: mmap() and fork(). */
  private readonly bootCpu: Cpu;
  /** Memcg index + 1 that a page table is charged to, by table; 0 = none. */
  private readonly tableOwner: Uint16Array;
  /** Open files and VMAs that somebody pays for. */
  private readonly files: Set<OpenFile> = new Set();
  private readonly vmas: Set<Vma> = new Set();
  /** Owners of the tables deposited for PMD leaves, by slot of the leaf (PT-16). */
  private readonly deposits: Map<number, Memcg> = new Map();

  constructor(memory: Memory, charge: Charge) {
    this.memory = memory;
    this.charge = charge;
    this.tables = memory.pageTables;
    this.bootCpu = memory.hw.cpus[0]!;
    this.tableOwner = new Uint16Array(memory.pageTables.entries.length / 512);
  }

  /**
   * pud_alloc(), pmd_alloc(): the slot of the PMD entry of a virtual page, with missing tables above it
   * made and charged.
   * @returns the slot, or NO_ENTRY when a limit does not allow a table
   */
  pmdSlot(task: Task, mm: Mm, vpn: number): number {
    const gib = Math.floor(vpn / PAGES_PER_GIB);
    if (this.tables.pmdTable(mm.pgd, gib) === 0) {
      const pud = this.tableBelow(task, mm, mm.pgd * 512 + (gib >> 9));
      if (pud === NO_TABLE) return NO_ENTRY;
      if (this.tableBelow(task, mm, pud * 512 + (gib & 511)) === NO_TABLE) return NO_ENTRY;
    }
    return this.tables.makePmdSlot(mm.pgd, vpn);
  }

  /**
   * The table below a non-leaf entry, made and charged when the entry is empty.
   * @returns the table, or NO_TABLE when a limit does not allow one
   */
  tableBelow(task: Task, mm: Mm, slot: number): number {
    if (this.tables.entries[slot] === 0) {
      return this.payForTable(task, mm) ? this.putTable(mm, slot) : NO_TABLE;
    }
    return this.tables.tableBelow(slot);
  }

  /**
   * prealloc_pte: charges a table that a fault may need before it looks for the page, which the reclaim
   * of a charge could take away. Ends in putTable() or refundTable().
   * @returns false = a limit does not allow it
   */
  payForTable(task: Task, mm: Mm): boolean {
    return this.charge.chargeKernel(task, mm.memcg, 1, CHARGE_FULL);
  }

  /** pmd_install(): the table that was paid for goes below an entry that is empty. */
  putTable(mm: Mm, slot: number): number {
    return this.ownTable(mm, this.tables.tableBelow(slot), mm.memcg);
  }

  /** The table that was paid for is not needed. */
  refundTable(cpu: Cpu, mm: Mm): void {
    this.charge.unchargeKernel(cpu, mm.memcg, 1);
  }

  /** The PMD slot of a child's page during fork; see tableBelowForced(). */
  pmdSlotForced(mm: Mm, vpn: number): number {
    const gib = Math.floor(vpn / PAGES_PER_GIB);
    const pud = this.tableBelowForced(mm, mm.pgd * 512 + (gib >> 9));
    this.tableBelowForced(mm, pud * 512 + (gib & 511));
    return this.tables.makePmdSlot(mm.pgd, vpn);
  }

  /** As tableBelow(), charged by force. */
  tableBelowForced(mm: Mm, slot: number): number {
    if (this.tables.entries[slot] !== 0) return this.tables.tableBelow(slot);
    const { memcg } = mm;
    this.charge.forceKernel(this.bootCpu, memcg, 1);
    return this.ownTable(mm, this.tables.tableBelow(slot), memcg);
  }

  /** A page table is freed. */
  freeTable(cpu: Cpu, mm: Mm, table: number): void {
    this.tables.freeTable(table);
    const owner = this.tableOwner[table] as number;
    if (owner === 0) return;
    this.tableOwner[table] = 0;
    mm.tablePages -= 1;
    this.charge.unchargeKernel(cpu, this.memory.memcgs[owner - 1] as Memcg, 1);
  }

  /** pgtable_trans_huge_deposit(): charges the table that a PMD leaf may be split into. */
  deposit(task: Task, mm: Mm, pmdSlot: number): boolean {
    if (!this.charge.chargeKernel(task, mm.memcg, 1, CHARGE_FULL)) return false;
    mm.tablePages += 1;
    this.deposits.set(pmdSlot, mm.memcg);
    return true;
  }

  /** The same for a leaf that fork copies, by force. */
  depositForced(mm: Mm, pmdSlot: number): void {
    this.charge.forceKernel(this.bootCpu, mm.memcg, 1);
    mm.tablePages += 1;
    this.deposits.set(pmdSlot, mm.memcg);
  }

  /** pgtable_trans_huge_withdraw(): the deposited table takes the place of a leaf. */
  withdraw(mm: Mm, pmdSlot: number): number {
    const table = this.tables.tableBelow(pmdSlot);
    const memcg = this.deposits.get(pmdSlot);
    if (memcg === undefined) return table;
    this.deposits.delete(pmdSlot);
    mm.tablePages -= 1;
    return this.ownTable(mm, table, memcg);
  }

  /** zap_deposited_table(). */
  freeDeposit(cpu: Cpu, mm: Mm, pmdSlot: number): void {
    const memcg = this.deposits.get(pmdSlot);
    if (memcg === undefined) return;
    this.deposits.delete(pmdSlot);
    mm.tablePages -= 1;
    this.charge.unchargeKernel(cpu, memcg, 1);
  }

  /**
   * Bytes of objects that live as long as a VMA: itself, its anon_vma and the chain.
   * @returns false = a limit does not allow it
   */
  chargeVma(task: Task, vma: Vma, bytes: number): boolean {
    const memcg = vma.kernelMemcg ?? vma.mm.memcg;
    if (!memcg.isCounted) return true;
    if (!this.charge.chargeObject(task, memcg, bytes, CHARGE_FULL)) return false;
    this.ownVma(vma, memcg, vma.kernelBytes + bytes);
    return true;
  }

  /** anon_vma_prepare() for a VMA that has none yet. @returns false = a limit does not allow it */
  prepareAnonVma(task: Task, vma: Vma): boolean {
    if (vma.anonVma !== null) return true;
    if (!this.chargeVma(task, vma, ANON_VMA_CHAIN_BYTES)) return false;
    if (!this.chargeVma(task, vma, ANON_VMA_BYTES)) return false;
    this.memory.anonVmas.prepare(vma);
    return true;
  }

  /**
   * A VMA was cut off another: it and its chain are charged. Where the limit does not allow that, the
   * cut is made all the same, by force: the caller has no way back.
   */
  splitVma(cpu: Cpu, upper: Vma): void {
    const memcg = upper.mm.memcg;
    if (!memcg.isCounted) return;
    const bytes = VMA_BYTES + ANON_VMA_CHAIN_BYTES * upper.anonVmaChain.length;
    this.charge.forceObject(cpu, memcg, bytes);
    this.ownVma(upper, memcg, bytes);
  }

  /**
   * One VMA took in another: where both were charged, one of them and the chains it had are given back.
   * @param cpu whose stock gets it; null = that of the first CPU
   * @param chains of the two that are not needed any more
   */
  mergeVma(cpu: Cpu | null, lower: Vma, upper: Vma, chains: number): void {
    if (upper.kernelMemcg === null) return;
    const memcg = lower.kernelMemcg ?? upper.kernelMemcg;
    const saved = lower.kernelMemcg === null ? 0 : VMA_BYTES + ANON_VMA_CHAIN_BYTES * chains;
    this.ownVma(lower, memcg, lower.kernelBytes + upper.kernelBytes - saved);
    this.disownVma(upper);
    if (saved > 0) this.charge.unchargeObject(cpu ?? this.bootCpu, memcg, saved);
  }

  /** A VMA is gone, with what was charged for it. */
  freeVma(cpu: Cpu, vma: Vma): void {
    if (vma.file instanceof OpenFile && vma.file.users === 0) this.freeFile(cpu, vma.file);
    if (vma.kernelMemcg === null) return;
    this.charge.unchargeObject(cpu, vma.kernelMemcg, vma.kernelBytes);
    this.disownVma(vma);
  }

  /** A file was opened. @returns false = a limit does not allow it */
  chargeFile(task: Task, file: OpenFile): boolean {
    const memcg = task.mm?.memcg ?? this.memory.root;
    if (!memcg.isCounted) return true;
    if (!this.charge.chargeObject(task, memcg, FILE_BYTES, CHARGE_FULL)) return false;
    this.own(file, memcg, FILE_BYTES);
    return true;
  }

  /** fput(): a user of an open file is gone; the last one's end is the file's. */
  putFile(cpu: Cpu, file: OpenFile): void {
    file.users -= 1;
    if (file.users === 0) this.freeFile(cpu, file);
  }

  private freeFile(cpu: Cpu, file: OpenFile): void {
    if (file.kernelMemcg === null) return;
    this.charge.unchargeObject(cpu, file.kernelMemcg, file.kernelBytes);
    file.kernelMemcg = null;
    this.files.delete(file);
  }

  /**
   * An mmap() at virtual page `start` succeeded: a VMA of its own is charged, by force; one that its
   * neighbour took in costs nothing.
   */
  mapped(mm: Mm, start: number): void {
    const vma = mm.vmaAt(start);
    if (vma === null || vma.start !== start || vma.kernelBytes > 0 || !mm.memcg.isCounted) return;
    this.charge.forceObject(this.bootCpu, mm.memcg, VMA_BYTES);
    this.ownVma(vma, mm.memcg, VMA_BYTES);
  }

  /** Shared memory was made and mapped at virtual page `start`: the file behind it is charged, by force. */
  madeSharedMemory(mm: Mm, start: number): void {
    const file = mm.vmaAt(start)?.file;
    if (!(file instanceof OpenFile) || !mm.memcg.isCounted) return;
    this.charge.forceObject(this.bootCpu, mm.memcg, SHARED_MEMORY_BYTES);
    this.own(file, mm.memcg, SHARED_MEMORY_BYTES);
  }

  /** A memcg goes away: its tables and objects are the parent's. */
  reparent(from: Memcg, to: Memcg): void {
    for (const [table, owner] of this.tableOwner.entries()) {
      if (owner === from.index + 1) this.tableOwner[table] = to.index + 1;
    }
    for (const [slot, owner] of this.deposits) if (owner === from) this.deposits.set(slot, to);
    for (const file of this.files) if (file.kernelMemcg === from) file.kernelMemcg = to;
    for (const vma of this.vmas) if (vma.kernelMemcg === from) vma.kernelMemcg = to;
  }

  private ownVma(vma: Vma, memcg: Memcg, bytes: number): void {
    vma.kernelMemcg = memcg;
    vma.kernelBytes = bytes;
    this.vmas.add(vma);
  }

  private disownVma(vma: Vma): void {
    vma.kernelMemcg = null;
    vma.kernelBytes = 0;
    this.vmas.delete(vma);
  }

  private own(file: OpenFile, memcg: Memcg, bytes: number): void {
    file.kernelMemcg = memcg;
    file.kernelBytes = bytes;
    this.files.add(file);
  }

  private ownTable(mm: Mm, table: number, memcg: Memcg): number {
    mm.tablePages += 1;
    this.tableOwner[table] = memcg.index + 1;
    return table;
  }
}
