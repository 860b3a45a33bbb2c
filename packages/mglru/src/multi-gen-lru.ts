import type { Cpu } from "@lrugen/hardware";
import {
  type FolioMapping,
  type LruPolicy,
  type Lruvec,
  type Memcg,
  type Memory,
  type Mm,
  type MultiGenReclaim,
  type ReferenceVerdict,
  type ScanControl,
  type Task,
} from "@lrugen/mm-core";
import { Aging } from "./aging/aging.ts";
import { lruGenAddMm, lruGenDelMm, lruGenMigrateMm, lruGenUseMm } from "./aging/mm-list.ts";
import { LruGenDebugfs } from "./debugfs/commands.ts";
import { Eviction } from "./eviction/eviction.ts";
import { NodeReclaim } from "./eviction/node-reclaim.ts";
import { type IncMinSeqFeatures, STOCK_FEATURES } from "./features.ts";
import { GenerationLists } from "./generation/generation-lists.ts";
import { References } from "./generation/references.ts";
import { LookAround } from "./look-around/look-around.ts";
import { type BinChooser, RoundRobinBins } from "./memcg-lru/bin-chooser.ts";
import { MemcgLifetime } from "./memcg-lru/memcg-lifetime.ts";
import { MemcgLru } from "./memcg-lru/memcg-lru.ts";
import type { LruGenCaps } from "./switch/caps.ts";
import { StateSwitch } from "./switch/change-state.ts";
import { LruGenSysfs } from "./switch/sysfs.ts";
import { Workingset } from "./workingset/workingset.ts";

/** What a MultiGenLru may be told. */
export interface MultiGenLruOptions {
  /** Switches of series inc-min-seq; default: Linux 7.3 as released. */
  readonly features?: IncMinSeqFeatures;
  /** Effective swappiness of a memcg, 0..201 (TRIG-02); default: vm.swappiness's default, 60. */
  readonly swappinessOf?: (memcg: Memcg) => number;
  /** Where the kernel draws a random bin of the memcg LRU; default: one bin after the other. */
  readonly bins?: BinChooser;
}

/** CONST-14. */
const DEFAULT_SWAPPINESS = 60;

/**
 * The multi-gen LRU of Linux 7.3: its lists as an LruPolicy, its eviction as a ReclaimPolicy, its
 * aging, its switch and its files. Reclaim needs `memory.reclaimer`; while LRU_GEN_CORE is off it is the
 * classic policy's.
 * Source: mm/vmscan.c, mm/workingset.c, include/linux/mm_inline.h.
 */
export class MultiGenLru implements LruPolicy, MultiGenReclaim {
  readonly name: string = "mglru";
  readonly aging: Aging;
  readonly eviction: Eviction;
  readonly workingset: Workingset;
  /** Order in which the machine's own reclaim visits memcgs, by node. */
  readonly memcgLrus: readonly MemcgLru[];
  readonly debugfs: LruGenDebugfs;
  readonly sysfs: LruGenSysfs;
  /** Which parts are switched on; change them through sysfs. */
  readonly caps: LruGenCaps = { core: true, mmWalk: true, nonleafYoung: true };
  private readonly generations: GenerationLists;
  private readonly references: References;
  private readonly neighbours: LookAround;
  private readonly reclaim: NodeReclaim;
  private readonly lifetime: MemcgLifetime;

  /** @param memory the machine whose folios it ranks; install() it there afterwards */
  constructor(memory: Memory, options: MultiGenLruOptions = {}) {
    const features = options.features ?? STOCK_FEATURES;
    const swappinessOf = options.swappinessOf ?? (() => DEFAULT_SWAPPINESS);
    const bins = options.bins ?? new RoundRobinBins();
    const { caps } = this;
    const generations = new GenerationLists(memory);
    this.generations = generations;
    this.references = new References(memory);
    this.aging = new Aging(memory, generations, caps, features);
    this.sysfs = new LruGenSysfs(caps, new StateSwitch(memory, caps));
    const { promotion, window, pteWalk } = this.aging;
    this.neighbours = new LookAround(memory, pteWalk, promotion, this.references);
    const lookAround = this.neighbours;
    this.eviction = new Eviction(memory, { generations, window, promotion, lookAround });
    this.workingset = new Workingset(memory);
    this.memcgLrus = Array.from({ length: memory.nrNodes }, () => new MemcgLru(bins));
    this.reclaim = new NodeReclaim(memory, this, swappinessOf);
    this.lifetime = new MemcgLifetime(memory, this, bins, swappinessOf);
    this.debugfs = new LruGenDebugfs(memory, this.aging, this.eviction, swappinessOf);
    for (const memcg of memory.memcgs) if (memcg !== null) this.memcgOnline(memcg);
  }

  addFolio(lruvec: Lruvec, folio: number, reclaiming: boolean): boolean {
    return this.generations.addFolio(lruvec, folio, reclaiming);
  }

  delFolio(lruvec: Lruvec, folio: number, reclaiming: boolean): boolean {
    return this.generations.delFolio(lruvec, folio, reclaiming);
  }

  beforeAdd(folio: number, inLruFault: boolean): void {
    this.references.beforeAdd(folio, inLruFault);
  }

  markAccessed(_cpu: Cpu, folio: number): void {
    this.references.markAccessed(folio);
  }

  clearRefs(lruvec: Lruvec, folio: number): boolean {
    return this.references.clearRefs(lruvec, folio);
  }

  mmAdd(mm: Mm, memcg: Memcg): void {
    lruGenAddMm(mm, memcg);
  }

  mmDel(mm: Mm): void {
    lruGenDelMm(mm);
  }

  mmMigrate(mm: Mm, memcg: Memcg): void {
    lruGenMigrateMm(mm, memcg);
  }

  useMm(mm: Mm): void {
    lruGenUseMm(mm);
  }

  shrinkLruvec(lruvec: Lruvec, sc: ScanControl): void {
    this.reclaim.shrinkLruvec(lruvec, sc);
  }

  shrinkNode(node: number, sc: ScanControl): void {
    this.reclaim.node.shrinkNode(node, sc);
  }

  ageNode(node: number, sc: ScanControl): void {
    this.reclaim.aging.ageNode(node, sc);
  }

  lookAround(cpu: Cpu, folio: number, mapping: FolioMapping): boolean {
    return this.neighbours.lookAround(cpu, folio, mapping);
  }

  checkReferences(folio: number, referenced: number, vmaFlags: number): ReferenceVerdict {
    return this.references.checkReferences(folio, referenced, vmaFlags);
  }

  /** The target plays no role: the shadow is the folio's own memcg's (RFT-03). */
  evictionShadow(folio: number, _target: Memcg | null): number {
    return this.workingset.eviction(folio);
  }

  refault(task: Task, folio: number, shadow: number): void {
    this.workingset.refault(task, folio, shadow);
  }

  memcgOnline(memcg: Memcg): void {
    this.lifetime.online(memcg);
  }

  memcgOffline(cpu: Cpu, memcg: Memcg): void {
    this.lifetime.offline(cpu, memcg);
  }
}
