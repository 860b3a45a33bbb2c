// @hot
import type { Cpu, Hardware } from "@lrugen/hardware";
import {
  type Memcg,
  MEMCG_MAX,
  type Memory,
  NIL,
  type PageCounter,
  type Task,
} from "@lrugen/mm-core";
import { DirectReclaim } from "../reclaim/direct.ts";
import { CHARGE_FULL, CHARGE_NORETRY, CHARGE_NOWAIT } from "./charge-kind.ts";
import { KernelMemory } from "./kernel-memory.ts";
import { MemcgOom } from "./memcg-oom.ts";
import { ObjectStock } from "./object-stock.ts";
import { OverHigh } from "./over-high.ts";
import { MEMCG_CHARGE_BATCH, PageStock } from "./page-stock.ts";
import { TreeNodes } from "./tree-nodes.ts";

const NONE = NIL;
const MAX_EVENT = MEMCG_MAX;
const BATCH = MEMCG_CHARGE_BATCH;
const FULL = CHARGE_FULL;
const NORETRY = CHARGE_NORETRY;
const NOWAIT = CHARGE_NOWAIT;
/** MAX_RECLAIM_RETRIES. */
const RETRIES = 16;
/** Pages of 1 << PAGE_ALLOC_COSTLY_ORDER: up to this progress is worth another try. */
const COSTLY_PAGES = 8;
const PAGE_BYTES = 4096;

/**
 * Charging memory to memcgs: the per-CPU stocks, the limits, and what a charge does that meets one.
 * Every folio and every charged kernel object is paid for here.
 * Source: chapter 13 of the core rules; mm/memcontrol.c:try_charge_memcg.
 */
export class Charge {
  /** Over memory.high: paid for when the task leaves the kernel (CHG-30). */
  readonly overHigh: OverHigh;
  /** Who is killed when a memcg's limit cannot be kept (CHG-50). */
  readonly oom: MemcgOom = new MemcgOom();
  /** What reclaims when frames or a limit's pages are short. */
  readonly reclaim: DirectReclaim;
  /** Page tables, VMAs, files. */
  readonly kernel: KernelMemory;
  /** Nodes of page-cache trees. */
  readonly nodes: TreeNodes;
  private readonly memory: Memory;
  private readonly stocks: readonly PageStock[];
  private readonly objects: readonly ObjectStock[];
  /** Bytes that drained object stocks left (CHG-41). */
  private readonly central: Map<Memcg, number> = new Map();

  constructor(memory: Memory) {
    this.memory = memory;
    this.reclaim = new DirectReclaim(memory, this.oom);
    this.overHigh = new OverHigh(memory, this.reclaim.memcgs);
    const { cpus }: Hardware = memory.hw;
    this.stocks = cpus.map(() => new PageStock());
    this.objects = cpus.map(
      (cpu) =>
        new ObjectStock(
          { uncharge: (memcg, n) => this.unchargeKernel(cpu, memcg, n) },
          this.central,
        ),
    );
    this.kernel = new KernelMemory(memory, this);
    this.nodes = new TreeNodes(memory, this);
  }

  /**
   * Allocates a folio of `1 << order` pages and charges it: one reference, no flags, contents
   * unknown. It may reclaim, so what the caller knew of unlocked memory may be gone afterwards.
   * @param kind CHARGE_*
   * @returns the folio, or NIL when memory or the limit of a memcg does not allow it
   */
  allocFolio(task: Task, order: number, memcg: Memcg, kind: number): number {
    const folio = this.reclaim.allocPages(task, order, kind);
    if (folio === NONE) return NONE;
    return this.chargeFolio(task, folio, order, memcg, kind) ? folio : NONE;
  }

  /** Charges frames fresh from the allocator and makes them a folio. @returns false = they are free again */
  chargeFolio(task: Task, folio: number, order: number, memcg: Memcg, kind: number): boolean {
    const { memory } = this;
    if (!this.charge(task, memcg, 1 << order, kind)) {
      memory.allocator.free(folio, order);
      return false;
    }
    memory.folios.prepare(folio, order, memcg.index);
    memcg.charged += 1 << order;
    return true;
  }

  /**
   * try_charge(): pages of a memcg and of all above it, from the stock of the task's CPU where it
   * can be (CHG-20). The root is never charged.
   * @param kind CHARGE_*
   * @returns false = a limit does not allow it
   */
  charge(task: Task, memcg: Memcg, pages: number, kind: number): boolean {
    if (memcg.parent === null) return true;
    const stock = this.stocks[task.cpu.id] as PageStock;
    if (stock.consume(memcg, pages)) return true;
    const batch = Math.max(BATCH, pages);
    let over = memcg.memory.tryCharge(batch);
    if (over === null) {
      this.charged(task, memcg, batch, pages);
      return true;
    }
    if (batch > pages) {
      over = memcg.memory.tryCharge(pages);
      if (over === null) {
        this.overHigh.charged(task, memcg, pages);
        return true;
      }
    }
    return this.chargeSlowly(task, memcg, pages, kind, ownerOf(memcg, over));
  }

  /** Bytes of a small kernel object (CHG-41). @returns false = a limit does not allow it */
  chargeObject(task: Task, memcg: Memcg, bytes: number, kind: number): boolean {
    if (memcg.parent === null) return true;
    const stock = this.objects[task.cpu.id] as ObjectStock;
    if (stock.consume(memcg, bytes)) return true;
    const pages = Math.ceil(bytes / PAGE_BYTES);
    if (!this.chargeKernel(task, memcg, pages, kind)) return false;
    stock.refill(memcg, pages * PAGE_BYTES - bytes);
    return true;
  }

  /** As chargeObject(), whatever the limits say (CHG-03). */
  forceObject(cpu: Cpu, memcg: Memcg, bytes: number): void {
    if (memcg.parent === null) return;
    const stock = this.objects[cpu.id] as ObjectStock;
    if (stock.consume(memcg, bytes)) return;
    const pages = Math.ceil(bytes / PAGE_BYTES);
    this.forceKernel(cpu, memcg, pages);
    stock.refill(memcg, pages * PAGE_BYTES - bytes);
  }

  /** As chargeKernel(), whatever the limits say. */
  forceKernel(cpu: Cpu, memcg: Memcg, pages: number): void {
    if (memcg.parent === null) return;
    memcg.kernelPages += pages;
    const stock = this.stocks[cpu.id] as PageStock;
    if (stock.consume(memcg, pages)) return;
    if (pages < BATCH && memcg.memory.tryCharge(BATCH) === null) stock.refill(memcg, BATCH - pages);
    else memcg.memory.charge(pages);
  }

  /** obj_cgroup_uncharge(): a small kernel object is gone. */
  unchargeObject(cpu: Cpu, memcg: Memcg, bytes: number): void {
    if (memcg.parent === null) return;
    (this.objects[cpu.id] as ObjectStock).refill(memcg, bytes);
  }

  /** Whole pages of kernel memory. @returns false = a limit does not allow it */
  chargeKernel(task: Task, memcg: Memcg, pages: number, kind: number): boolean {
    if (!this.charge(task, memcg, pages, kind)) return false;
    if (memcg.parent !== null) memcg.kernelPages += pages;
    return true;
  }

  /** Pages of kernel memory are gone: they stay in the stock of this CPU (CHG-14). */
  unchargeKernel(cpu: Cpu, memcg: Memcg, pages: number): void {
    if (memcg.parent === null) return;
    memcg.kernelPages -= pages;
    (this.stocks[cpu.id] as PageStock).refill(memcg, pages);
  }

  /** drain_all_stock(): gives back what CPUs with stock of the subtree have charged in advance (CHG-13). */
  drainAll(root: Memcg): void {
    for (const [cpu, stock] of this.stocks.entries()) {
      const objects = this.objects[cpu] as ObjectStock;
      if (objects.holds(root)) objects.drain();
      if (stock.holds(root)) stock.drain();
    }
  }

  /** A memcg goes away: kernel memory it paid for is the parent's. Its stocks are drained. */
  reparent(from: Memcg, to: Memcg): void {
    this.kernel.reparent(from, to);
    this.nodes.reparent(from, to);
    const rest = this.central.get(from) ?? 0;
    this.central.delete(from);
    if (rest > 0) this.central.set(to, (this.central.get(to) ?? 0) + rest);
  }

  /** Pages of a memcg that all CPUs together have charged in advance. */
  stockOf(memcg: Memcg): number {
    let pages = 0;
    for (const stock of this.stocks) pages += stock.pagesOf(memcg);
    return pages;
  }

  /** A batch was charged, of which `pages` are used now. */
  private charged(task: Task, memcg: Memcg, batch: number, pages: number): void {
    if (batch > pages) (this.stocks[task.cpu.id] as PageStock).refill(memcg, batch - pages);
    this.overHigh.charged(task, memcg, batch);
  }

  /**
   * From the first miss of the exact charge on: reclaim, drain the stocks, try again, and at last the
   * OOM killer.
   * @param over the memcg whose limit was met
   */
  private chargeSlowly(
    task: Task,
    memcg: Memcg,
    pages: number,
    kind: number,
    over: Memcg,
  ): boolean {
    let limited = over;
    if (task.reclaiming) {
      limited.countEvent(MAX_EVENT);
      this.force(task, memcg, pages);
      return true;
    }
    if (kind === NOWAIT) {
      limited.countEvent(MAX_EVENT);
      return false;
    }
    let retries = RETRIES;
    let drained = false;
    let killed = false;
    for (;;) {
      limited.countEvent(MAX_EVENT);
      const got = this.reclaim.memcgs.tryToFree(task, limited, pages);
      let again = limited.memory.margin >= pages;
      if (!again && !drained) {
        this.drainAll(limited);
        drained = true;
        again = true;
      }
      if (!again) {
        if (kind === NORETRY) return false;
        if (got > 0 && pages <= COSTLY_PAGES) again = true;
        else if (retries-- <= 0) {
          if (kind !== FULL || (killed && task.mm?.oomVictim === true)) return false;
          if (!this.oom.outOfMemory(task, limited, pages)) return false;
          killed = true;
          retries = RETRIES;
        }
      }
      const result = this.tryAgain(task, memcg, pages);
      if (result === null) return true;
      limited = result;
    }
  }

  /** One more pass of CHG-20. @returns null, or the memcg whose limit is still met */
  private tryAgain(task: Task, memcg: Memcg, pages: number): Memcg | null {
    if ((this.stocks[task.cpu.id] as PageStock).consume(memcg, pages)) return null;
    const over = memcg.memory.tryCharge(pages);
    if (over !== null) return ownerOf(memcg, over);
    this.overHigh.charged(task, memcg, pages);
    return null;
  }

  private force(task: Task, memcg: Memcg, pages: number): void {
    memcg.memory.charge(pages);
    this.overHigh.charged(task, memcg, pages);
  }
}

/** The memcg at or above `memcg` that a counter belongs to. */
function ownerOf(memcg: Memcg, counter: PageCounter): Memcg {
  let owner: Memcg = memcg;
  while (owner.memory !== counter) owner = owner.parent as Memcg;
  return owner;
}
