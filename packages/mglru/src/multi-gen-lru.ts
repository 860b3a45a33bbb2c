import type { Cpu } from "@lrugen/hardware";
import type { LruPolicy, Lruvec, Memcg, Memory, Mm } from "@lrugen/mm-core";
import { Aging } from "./aging/aging.ts";
import { lruGenAddMm, lruGenDelMm, lruGenMigrateMm, lruGenUseMm } from "./aging/mm-list.ts";
import { LruGenDebugfs } from "./debugfs/commands.ts";
import { type IncMinSeqFeatures, STOCK_FEATURES } from "./features.ts";
import { GenerationLists } from "./generation/generation-lists.ts";
import { References } from "./generation/references.ts";
import type { LruGenCaps } from "./switch/caps.ts";
import { StateSwitch } from "./switch/change-state.ts";
import { LruGenSysfs } from "./switch/sysfs.ts";

/** What a MultiGenLru may be told. */
export interface MultiGenLruOptions {
  /** Switches of series inc-min-seq; default: Linux 7.3 as released. */
  readonly features?: IncMinSeqFeatures;
  /** Effective swappiness of a memcg, 0..201 (TRIG-02); default: vm.swappiness's default, 60. */
  readonly swappinessOf?: (memcg: Memcg) => number;
}

/** CONST-14. */
const DEFAULT_SWAPPINESS = 60;

/**
 * The multi-gen LRU of Linux 7.3: its lists as an LruPolicy, its aging, its switch and its files.
 * Source: mm/vmscan.c, include/linux/mm_inline.h.
 */
export class MultiGenLru implements LruPolicy {
  readonly name: string = "mglru";
  readonly aging: Aging;
  readonly debugfs: LruGenDebugfs;
  readonly sysfs: LruGenSysfs;
  /** Which parts are switched on; change them through sysfs. */
  readonly caps: LruGenCaps = { core: true, mmWalk: true, nonleafYoung: true };
  private readonly generations: GenerationLists;
  private readonly references: References;

  /** @param memory the machine whose folios it ranks; install() it there afterwards */
  constructor(memory: Memory, options: MultiGenLruOptions = {}) {
    this.generations = new GenerationLists(memory);
    this.references = new References(memory);
    const features = options.features ?? STOCK_FEATURES;
    this.aging = new Aging(memory, this.generations, this.caps, features);
    this.sysfs = new LruGenSysfs(this.caps, new StateSwitch(memory, this.caps));
    const swappinessOf = options.swappinessOf ?? (() => DEFAULT_SWAPPINESS);
    this.debugfs = new LruGenDebugfs(memory, this.aging, swappinessOf);
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
}
