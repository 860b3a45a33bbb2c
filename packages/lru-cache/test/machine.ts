import { createFunctionalHardware, type Cpu } from "@lrugen/hardware";
import {
  LRU_INACTIVE_ANON,
  LRU_UNEVICTABLE,
  LruPolicies,
  Memcg,
  Memory,
  PG_SWAPBACKED,
  PG_UPTODATE,
  singleNode,
  Task,
  VMSTAT_ITEMS,
} from "@lrugen/mm-core";
import { CpuFolioBatches } from "../src/index.ts";
import { FakePolicy } from "./fake-policy.ts";

/** A mapping number of anonymous memory: the low bit is PAGE_MAPPING_ANON. */
const ANON_MAPPING = 3;
/** A mapping number of a file. */
const FILE_MAPPING = 2;

/** What a test machine may be. */
export interface MachineOptions {
  readonly cpus?: number;
  readonly pages?: number;
  readonly nodes?: number;
  /** The classic LRU judges, not the multi-gen one. */
  readonly classic?: boolean;
  /** Memcgs below the root. */
  readonly memcgs?: number;
}

/** A machine whose policies are fakes and whose folio batches are under test. */
export class Machine {
  readonly memory: Memory;
  readonly batches: CpuFolioBatches;
  readonly mglru: FakePolicy;
  readonly classic: FakePolicy;
  /** The root, then those below it. */
  readonly memcgs: Memcg[];
  readonly cpus: readonly Cpu[];
  readonly tasks: readonly Task[];

  constructor({ cpus = 1, pages = 8192, nodes = 1, classic = false, memcgs = 0 }: MachineOptions) {
    const hw = createFunctionalHardware({ cpus });
    const node = singleNode(pages)[0]!;
    this.memory = new Memory(hw, { nodes: Array.from({ length: nodes }, () => node) });
    this.batches = new CpuFolioBatches(this.memory);
    this.mglru = new FakePolicy(this.memory, "mglru");
    this.classic = new FakePolicy(this.memory, "classic");
    const policies = new LruPolicies(this.mglru, this.classic);
    policies.coreEnabled = !classic;
    this.memory.install(policies, this.batches);
    this.memcgs = [this.memory.root];
    for (let id = 0; id < memcgs; id++) {
      this.memcgs.push(this.memory.createMemcg(this.memory.root, 100 + id, `m${id}`));
    }
    this.cpus = hw.cpus;
    this.tasks = hw.cpus.map((cpu) => new Task(cpu, null));
  }

  /** A fresh anonymous folio; the test holds its one reference, as a mapping would. */
  anon(order = 0, memcg: Memcg = this.memory.root): number {
    const folio = this.memory.allocFolio(order, memcg);
    if (folio < 0) throw new Error("the test machine is out of memory");
    this.memory.folios.mapping[folio] = ANON_MAPPING;
    this.set(folio, PG_SWAPBACKED | PG_UPTODATE);
    return folio;
  }

  /** A fresh file folio; the test holds its one reference. */
  file(order = 0, memcg: Memcg = this.memory.root): number {
    const folio = this.anon(order, memcg);
    this.memory.folios.mapping[folio] = FILE_MAPPING;
    this.clear(folio, PG_SWAPBACKED);
    return folio;
  }

  /** `count` fresh order-0 folios, added on a CPU. */
  addMany(count: number, cpu = 0): number[] {
    return Array.from({ length: count }, () => this.added(cpu));
  }

  /** A fresh folio that was added on a CPU. */
  added(cpu = 0, order = 0, memcg: Memcg = this.memory.root): number {
    const folio = this.anon(order, memcg);
    this.batches.add(this.tasks[cpu]!, folio);
    return folio;
  }

  /** A folio that is on the LRU already. */
  listed(folio: number): number {
    this.batches.add(this.tasks[0]!, folio);
    this.batches.drain(this.cpus[0]!);
    return folio;
  }

  /** folio_isolate_lru() (DEL-04). @returns false = it is not on the LRU */
  isolate(folio: number, lruFlag: number, cpu = 0): boolean {
    if ((this.flags(folio) & lruFlag) === 0) return false;
    const lruvec = this.memory.lruvecOf(folio);
    this.clear(folio, lruFlag);
    this.memory.folios.refcount[folio]! += 1;
    this.cpus[cpu]!.acquire(lruvec.lock);
    this.memory.lru.delFolio(lruvec, folio);
    this.cpus[cpu]!.release(lruvec.lock);
    return true;
  }

  /** Drops references the test holds. */
  put(folio: number, cpu = 0): void {
    this.memory.release.put(this.cpus[cpu]!, folio);
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

  refs(folio: number): number {
    return this.memory.folios.refcount[folio]!;
  }

  /** Folios of a memcg's list, from the hot end. */
  list(memcg: Memcg = this.memory.root, node = 0): number[] {
    const lruvec = memcg.lruvecs[node]!;
    const policy = this.memory.lru.coreEnabled ? this.mglru : this.classic;
    return [...this.memory.lists.walk(policy.headOf(lruvec))];
  }

  /** Pages counted as evictable and as unevictable. */
  sizes(memcg: Memcg = this.memory.root): [listed: number, unevictable: number] {
    const lruvec = memcg.lruvecs[0]!;
    return [lruvec.sizeOf(LRU_INACTIVE_ANON), lruvec.sizeOf(LRU_UNEVICTABLE)];
  }

  /** Acquisitions of all lruvec locks. */
  get locks(): number {
    return this.memory.hw.locks.reduce((sum, lock) => sum + lock.acquisitions, 0);
  }

  /** Counters that are not 0, global or of a memcg. */
  events(memcg?: Memcg): Record<string, number> {
    const { values } = (memcg ?? this.memory).vmstat;
    return Object.fromEntries(
      VMSTAT_ITEMS.map((name, id) => [name, values[id]!] as const).filter(([, value]) => value),
    );
  }
}
