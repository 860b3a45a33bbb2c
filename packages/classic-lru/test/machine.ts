import { createFunctionalHardware, type Cpu } from "@lrugen/hardware";
import {
  type FolioBatches,
  type FolioReclaimer,
  LruPolicies,
  type LruPolicy,
  type Lruvec,
  type Memcg,
  Memory,
  NIL,
  PG_LRU,
  singleNode,
} from "@lrugen/mm-core";
import { ClassicLru } from "../src/index.ts";

/** A machine that runs the classic LRU, with stand-ins for its neighbours. */
export class Machine {
  readonly memory: Memory;
  readonly classic: ClassicLru;
  readonly cpu: Cpu;
  /** Folios handed to folio_activate(), with the CPU. */
  readonly activated: [cpu: number, folio: number][] = [];
  /** Folios in the lru_add batch of CPU 0. */
  readonly waiting = new Set<number>();

  constructor(pages = 4096) {
    const hw = createFunctionalHardware({ cpus: 2 });
    this.memory = new Memory(hw, { nodes: singleNode(pages) });
    this.classic = new ClassicLru(this.memory);
    this.cpu = hw.cpus[0]!;
    const policies = new LruPolicies(takesNothing, this.classic);
    policies.coreEnabled = false;
    this.memory.reclaimer = {
      freeSwapPages: () => this.swapPages,
    } as Partial<FolioReclaimer> as FolioReclaimer;
    this.memory.install(policies, {
      activate: (cpu: Cpu, folio: number) => this.activated.push([cpu.id, folio]),
      inAddBatch: (cpu: Cpu, folio: number) => cpu.id === 0 && this.waiting.has(folio),
    } as Partial<FolioBatches> as FolioBatches);
  }

  /** Pages of swap that each memcg may still use. */
  swapPages = 0;

  /** A fresh folio with these flags, on no list. */
  fresh(flags: number, order = 0, memcg: Memcg = this.memory.root): number {
    const folio = this.memory.allocFolio(order, memcg);
    if (folio === NIL) throw new Error("the test machine is out of memory");
    this.set(folio, flags);
    return folio;
  }

  /** A fresh folio with these flags, on its list. */
  listed(flags: number, order = 0, memcg?: Memcg, tail = false): number {
    const folio = this.fresh(flags, order, memcg);
    this.put(folio, tail);
    return folio;
  }

  /** Puts a folio on its list. */
  put(folio: number, tail = false): void {
    this.memory.lru.addFolio(this.memory.lruvecOf(folio), folio, tail);
    this.set(folio, PG_LRU);
  }

  /** Takes a folio off its list. */
  take(folio: number): void {
    this.clear(folio, PG_LRU);
    this.memory.lru.delFolio(this.memory.lruvecOf(folio), folio);
  }

  flags(folio: number): number {
    return this.memory.folios.flags[folio]!;
  }

  set(folio: number, flags: number): void {
    this.memory.folios.flags[folio]! |= flags;
  }

  clear(folio: number, flags: number): void {
    this.memory.folios.flags[folio]! &= ~flags;
  }

  get lruvec(): Lruvec {
    return this.memory.root.lruvecs[0]!;
  }

  /** The four lists of the root memcg, from the hot end. */
  get lists(): number[][] {
    return [0, 1, 2, 3].map((lru) => [...this.memory.lists.walk(this.lruvec.listHead + lru)]);
  }

  /** Pages by list, unevictable last. */
  get sizes(): number[] {
    return [0, 1, 2, 3, 4].map((lru) => this.lruvec.sizeOf(lru));
  }
}

/** The multi-gen LRU while it is off. */
const takesNothing = {
  name: "mglru",
  addFolio: () => false,
  delFolio: () => false,
} as Partial<LruPolicy> as LruPolicy;
