import { type Cpu, createFunctionalHardware, type Hardware } from "@lrugen/hardware";
import {
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  LruPolicies,
  type Lruvec,
  type MappedFile,
  MAX_NR_ZONES,
  type Memcg,
  Memory,
  type MemoryConfig,
  type Mm,
  type MmuNotifier,
  PG_ACTIVE,
  PG_DIRTY,
  PG_LRU,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UPTODATE,
  PG_WORKINGSET,
  ScanControl,
  type ScanRequest,
  singleNode,
  Task,
  VM_READ,
  VM_WRITE,
  Vma,
} from "@lrugen/mm-core";
import {
  type BinChooser,
  folioLruGen,
  GenerationLists,
  genFromSeq,
  incMinSeqFeatures,
  type IncMinSeqFeatures,
  MultiGenLru,
} from "../src/index.ts";
import { ClassicLists } from "./classic-lists.ts";
import { FakeBatches, FakeReclaimer } from "./reclaim.ts";

/** Zone of every folio of the usual machine: DMA32. */
export const DMA32 = 1;

/** First virtual page of the test mappings; where a 512 GiB unit begins. */
export const REGION: number = 2 ** 32;

/** Virtual pages of a page-table entry at each level. */
export const PMD = 512;
export const PUD: number = 512 * PMD;
export const P4D: number = 512 * PUD;

/** A regular file. */
export const FILE: MappedFile = {
  id: 1,
  shmem: false,
  noReuse: false,
  unevictable: false,
  readFolio: true,
};

/** Shared memory. */
export const SHMEM: MappedFile = { ...FILE, id: 2, shmem: true };

type FeatureName = keyof IncMinSeqFeatures;

/** The named switches of series inc-min-seq on, the others off. */
export function featuresOn(names: readonly FeatureName[]): IncMinSeqFeatures {
  return incMinSeqFeatures((name) => names.some((on) => name === `mglru.incMinSeq.${on}`));
}

export interface MachineOptions {
  readonly nodes?: MemoryConfig["nodes"];
  readonly pageTables?: number;
  readonly features?: readonly FeatureName[];
  readonly hardware?: Hardware;
  readonly swappinessOf?: (memcg: Memcg) => number;
  readonly bins?: BinChooser;
}

/** A machine with the multi-gen LRU, and one memcg, /t with cgroup id 28. */
export class Machine {
  readonly memory: Memory;
  readonly cpu: Cpu;
  readonly policy: MultiGenLru;
  /** Memcg /t and its lists on node 0. */
  readonly memcg: Memcg;
  readonly lruvec: Lruvec;
  readonly task: Task;
  readonly reclaimer: FakeReclaimer;
  readonly batches: FakeBatches;
  private readonly generations: GenerationLists;

  constructor(options: MachineOptions = {}) {
    const hardware = options.hardware ?? createFunctionalHardware({ cpus: 1 });
    this.cpu = hardware.cpus[0]!;
    this.memory = new Memory(hardware, {
      nodes: options.nodes ?? singleNode(2048),
      ...(options.pageTables !== undefined && { pageTables: options.pageTables }),
    });
    this.policy = new MultiGenLru(this.memory, {
      features: featuresOn(options.features ?? []),
      ...(options.swappinessOf && { swappinessOf: options.swappinessOf }),
      ...(options.bins && { bins: options.bins }),
    });
    this.generations = new GenerationLists(this.memory);
    const policies = new LruPolicies(this.policy, new ClassicLists(this.memory));
    policies.mglruReclaim = this.policy;
    this.batches = new FakeBatches(this.memory);
    this.memory.install(policies, this.batches.all);
    this.reclaimer = new FakeReclaimer(this.memory);
    this.memory.reclaimer = this.reclaimer;
    this.task = new Task(this.cpu, null);
    this.memcg = this.memory.createMemcg(this.memory.root, 28, "t");
    this.lruvec = this.memcg.lruvecs[0]!;
  }

  /** An address space on the mm list of a memcg. */
  mm(memcg: Memcg = this.memcg): Mm {
    const mm = this.memory.createMm(memcg);
    this.policy.mmAdd(mm, memcg);
    return mm;
  }

  /** A mapping of `pages` virtual pages from `start` on. */
  vma(
    mm: Mm,
    start: number,
    pages: number,
    flags: number = VM_READ | VM_WRITE,
    file: MappedFile | null = null,
  ): Vma {
    const vma = new Vma(mm, start, start + pages, flags, file);
    mm.insertVma(vma);
    return vma;
  }

  /** An unmapped folio with these flags, on no list. Anon with PG_SWAPBACKED, else file. */
  folio(flags: number = PG_SWAPBACKED, order = 0, memcg: Memcg = this.memcg): number {
    const folio = this.memory.allocFolio(order, memcg);
    if (folio < 0) throw new Error("the test machine is out of memory");
    this.memory.folios.flags[folio]! |= flags | PG_UPTODATE;
    if ((flags & PG_SWAPBACKED) === 0) this.memory.folios.mapping[folio] = FILE.id * 2;
    return folio;
  }

  /** Puts a folio on the LRU lists, as a drained batch does. */
  add(folio: number, reclaiming = false): number {
    this.memory.lru.addFolio(this.memory.lruvecOf(folio), folio, reclaiming);
    this.memory.folios.flags[folio]! |= PG_LRU;
    return folio;
  }

  /** Takes a folio off the LRU lists, as isolation does. */
  isolate(folio: number): void {
    this.memory.lru.delFolio(this.memory.lruvecOf(folio), folio);
    this.memory.folios.flags[folio]! &= ~PG_LRU;
  }

  /** A folio at the head of the generation list of `seq`, whatever its flags would ask for. */
  onList(seq: number, flags: number = PG_SWAPBACKED, order = 0): number {
    const folio = this.folio(flags | PG_LRU, order);
    const lruvec = this.memory.lruvecOf(folio);
    const zone = this.memory.allocator.zoneOf(folio);
    const type = flags & PG_SWAPBACKED ? 0 : 1;
    this.setGen(folio, genFromSeq(seq));
    this.generations.updateSize(lruvec, type, zone, 1 << order, -1, genFromSeq(seq));
    this.memory.lists.add(this.head(seq, type, zone, lruvec), folio);
    return folio;
  }

  /** Writes a generation into a folio's flags and nowhere else. */
  setGen(folio: number, gen: number): void {
    const { flags } = this.memory.folios;
    flags[folio] = (flags[folio]! & ~(7 << 27)) | ((gen + 1) << 27);
  }

  /** List head of a generation. */
  head(seq: number, type = 0, zone: number = DMA32, lruvec: Lruvec = this.lruvec): number {
    return lruvec.lrugen.listHead + (genFromSeq(seq) * 2 + type) * MAX_NR_ZONES + zone;
  }

  /** The folios of a generation from head to tail. */
  list(seq: number, type = 0, zone: number = DMA32, lruvec: Lruvec = this.lruvec): number[] {
    return [...this.memory.lists.walk(this.head(seq, type, zone, lruvec))];
  }

  /** Pages of a generation by flags, over all zones. */
  pages(seq: number, type = 0, lruvec: Lruvec = this.lruvec): number {
    let pages = 0;
    for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
      pages += lruvec.lrugen.nrPages[(genFromSeq(seq) * 2 + type) * MAX_NR_ZONES + zone]!;
    }
    return pages;
  }

  flags(folio: number): number {
    return this.memory.folios.flags[folio]!;
  }

  /**
   * What MGLRU knows of a folio, in words: `gen 2 R r1` is generation slot 2, PG_referenced and one
   * more access. W = PG_workingset, A = PG_active, D = PG_dirty.
   */
  state(folio: number): string {
    const word = this.flags(folio);
    const refs = (word & LRU_REFS_MASK) >> LRU_REFS_PGOFF;
    return [
      `gen ${folioLruGen(word)}`,
      word & PG_REFERENCED ? "R" : "",
      word & PG_WORKINGSET ? "W" : "",
      word & PG_ACTIVE ? "A" : "",
      word & PG_DIRTY ? "D" : "",
      refs > 0 ? `r${refs}` : "",
    ]
      .filter((part) => part !== "")
      .join(" ");
  }

  /** A reclaim of memcg /t by somebody who wants `nrToReclaim` pages, unless told otherwise. */
  scanControl(request: Partial<ScanRequest> = {}): ScanControl {
    return new ScanControl(this.task, { nrToReclaim: 32, targetMemcg: this.memcg, ...request });
  }

  /** Events counted since boot, by name; those that are 0 are left out. */
  get events(): Record<string, number> {
    const all = Object.entries(this.memory.vmstat.toRecord());
    return Object.fromEntries(all.filter(([, count]) => count !== 0));
  }

  /** Writes to debugfs lru_gen. @returns the byte count, or a negative errno */
  write(text: string): number {
    return this.policy.debugfs.write(this.cpu, text);
  }

  /** `+ 28 0 MAX …`; the default is every default: swappiness 60, forced. */
  age(rest = ""): void {
    const text = `+ ${this.memcg.id} 0 ${this.lruvec.lrugen.maxSeq} ${rest}`;
    const result = this.write(text);
    if (result !== text.length) throw new Error(`"${text}" gave ${result}`);
  }

  /** T, Y, F, A of the page-table walks so far. */
  get stats(): number[] {
    return [...this.lruvec.mmState.stats];
  }
}

/** A secondary MMU in which a set of virtual pages is young; notes what it is asked. */
export class FakeNotifier implements MmuNotifier {
  readonly young = new Set<number>();
  /** Ranges of clearYoung, in order. */
  readonly cleared: (readonly [start: number, end: number])[] = [];

  clearYoung(start: number, end: number): boolean {
    this.cleared.push([start, end]);
    const found = [...this.young].filter((vpn) => vpn >= start && vpn < end);
    for (const vpn of found) this.young.delete(vpn);
    return found.length > 0;
  }

  invalidateStart(): void {}
  invalidateEnd(): void {}
  clearFlushYoung(): boolean {
    throw new Error("aging never flushes a secondary MMU");
  }
  testYoung(): boolean {
    return false;
  }
  release(): void {}
}

/** Subscribes a secondary MMU to an address space. */
export function subscribe(mm: Mm): FakeNotifier {
  const notifier = new FakeNotifier();
  mm.notifiers.push(notifier);
  mm.hasNotifiers = true;
  return notifier;
}
