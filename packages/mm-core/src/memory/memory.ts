import type { Hardware, Region } from "@lrugen/hardware";
import { AnonVmas } from "../address-space/anon-vma.ts";
import { Mm } from "../address-space/mm.ts";
import { Rmap } from "../address-space/rmap.ts";
import { DeferredSplit } from "../folio/deferred-split.ts";
import { FolioLists } from "../folio/folio-lists.ts";
import { FolioTable, NIL } from "../folio/folio-table.ts";
import { allocatorHeads, PageAllocator } from "../folio/page-allocator.ts";
import { PG_RESERVED, PG_UPTODATE } from "../folio/page-flags.ts";
import { layOutZones, MAX_PAGE_ORDER } from "../folio/zones.ts";
import { Clock } from "../interfaces/clock.ts";
import type { FolioReclaimer } from "../reclaim/folio-reclaimer.ts";
import type { FolioBatches } from "../interfaces/folio-batches.ts";
import type { LruPolicies } from "../interfaces/lru-policy.ts";
import { Lruvec, LRUVEC_HEADS } from "../lru/lruvec.ts";
import { Memcg } from "../memcg/memcg.ts";
import { FileMapping, type FileOptions } from "../page-cache/file-mapping.ts";
import { PageCache } from "../page-cache/page-cache.ts";
import { PageTables } from "../page-table/page-tables.ts";
import { StateCounters } from "../stat/state-counters.ts";
import { VmStat } from "../stat/vmstat.ts";
import { SwapTable } from "../swap/swap-table.ts";
import { FolioRelease } from "./folio-release.ts";
import { LruPutback } from "./lru-putback.ts";
import { LruvecHeads } from "./lruvec-heads.ts";
import { type MemoryConfig, memoryLimits } from "./memory-config.ts";
import { FOLIO_LAYOUT } from "./struct-layouts.ts";

/** List heads for lists that folios are on only for a while: those of reclaim and of the policies. */
const PRIVATE_HEADS = 32;
/** Inode number of the root cgroup directory (TXT-02). */
const ROOT_CGROUP_ID = 1;

/**
 * The whole state of one machine's memory management, and the places where its policies plug in.
 *
 * Construct it, then `install` the policies and the folio batches: paths that need them (release,
 * faults, drains) work from then on.
 */
export class Memory {
  readonly hw: Hardware;
  readonly folios: FolioTable;
  readonly lists: FolioLists;
  readonly allocator: PageAllocator;
  readonly pageTables: PageTables;
  readonly anonVmas: AnonVmas = new AnonVmas();
  readonly rmap: Rmap;
  readonly vmstat: VmStat = new VmStat();
  /** Counters of memory.stat that go up and down, by memcg. */
  readonly states: StateCounters;
  readonly pageCache: PageCache;
  /** Slots of the swap device; none without one. */
  readonly swap: SwapTable;
  /** Files by number; index 0 is never used. */
  readonly files: (FileMapping | null)[] = [null];
  readonly clock: Clock = new Clock();
  readonly release: FolioRelease;
  readonly putback: LruPutback;
  readonly deferredSplit: DeferredSplit;
  /** The folios as a costed engine sees them: one struct page a frame (LAY-08). */
  readonly folioRegion: Region;
  /** Number of nodes. */
  readonly nrNodes: number;
  /** Memcgs by index; null = free index. */
  readonly memcgs: (Memcg | null)[] = [];
  readonly root: Memcg;
  /** The shared zero page (FLT-12); no folio. */
  readonly zeroPfn: number;
  /** Set by @lrugen/paging when it is built on this machine. */
  reclaimer: FolioReclaimer | null = null;
  /** Set by install(). */
  lru!: LruPolicies;
  batches!: FolioBatches;
  private readonly maxMemcgs: number;
  /** List heads of lruvecs. */
  readonly lruvecHeads: LruvecHeads;
  private nextMmId = 1;
  private nextPrivateId = 1;
  private readonly byPrivateId = new Map<number, Memcg>();

  /** @throws RangeError for an impossible configuration */
  constructor(hw: Hardware, config: MemoryConfig) {
    const limits = memoryLimits(config);
    const zones = layOutZones(config.nodes);
    this.hw = hw;
    this.nrNodes = config.nodes.length;
    this.maxMemcgs = limits.maxMemcgs;
    const lruHeads = limits.maxMemcgs * this.nrNodes * LRUVEC_HEADS;
    const heads = allocatorHeads(zones.length) + lruHeads + PRIVATE_HEADS;
    this.folios = new FolioTable(limits.pages, heads);
    this.lists = new FolioLists(this.folios);
    this.allocator = new PageAllocator(this.folios, this.lists, zones);
    this.pageTables = new PageTables(limits.pageTables);
    this.states = new StateCounters(limits.maxMemcgs);
    this.rmap = new Rmap(this.folios, this.anonVmas, this.states);
    this.swap = new SwapTable(limits.swapPages);
    this.pageCache = new PageCache(this.folios, this.vmstat);
    this.release = new FolioRelease(this);
    this.putback = new LruPutback(this);
    this.deferredSplit = new DeferredSplit(this.folios, limits.maxMemcgs, this.nrNodes);
    hw.defineLayout(FOLIO_LAYOUT);
    this.folioRegion = hw.region(FOLIO_LAYOUT.name, limits.pages);
    this.zeroPfn = this.allocator.alloc(0);
    this.folios.prepare(this.zeroPfn, 0, 0);
    this.folios.flags[this.zeroPfn] = PG_RESERVED | PG_UPTODATE;
    this.lruvecHeads = new LruvecHeads(this.lists, this.nrNodes);
    this.root = this.createMemcg(null, ROOT_CGROUP_ID, "");
  }

  /**
   * Takes memory that nobody gets: what the kernel itself has taken by the end of its boot.
   * @param blocks of 1024 pages
   * @param zone kernel id of the zone to take them from, default any
   * @throws RangeError when there are not so many free blocks
   */
  reserve(blocks: number, zone?: number): void {
    const marks = Float64Array.from(this.allocator.zones, (each) =>
      zone === undefined || each.zone === zone ? 0 : Infinity,
    );
    for (let i = 0; i < blocks; i++) {
      const pfn = this.allocator.alloc(MAX_PAGE_ORDER, marks);
      if (pfn === NIL) throw new RangeError(`reserved ${i} blocks of memory, expected ${blocks}`);
      this.folios.prepare(pfn, MAX_PAGE_ORDER, 0);
      this.folios.flags[pfn]! |= PG_RESERVED;
    }
  }

  /** Plugs the policies and the batches in. Call once, before any path runs. */
  install(lru: LruPolicies, batches: FolioBatches): void {
    this.lru = lru;
    this.batches = batches;
    for (const memcg of this.memcgs) {
      for (const lruvec of memcg?.lruvecs ?? []) lruvec.lrugen.enabled = lru.coreEnabled;
    }
  }

  /**
   * mkdir of a cgroup.
   * @param id its cgroup id, unique
   * @throws RangeError when maxMemcgs exist already or the id is taken
   */
  createMemcg(parent: Memcg | null, id: number, name: string): Memcg {
    const index = this.freeMemcgIndex();
    if (index >= this.maxMemcgs) {
      throw new RangeError(`out of memcgs: the machine was configured with ${this.maxMemcgs}`);
    }
    if (this.memcgById(id) !== undefined) throw new RangeError(`cgroup id ${id} is taken`);
    const firstHead = this.lruvecHeads.take(index);
    const memcg = new Memcg(index, id, parent, name, this.nextPrivateId++);
    const enabled = this.lru?.coreEnabled ?? true;
    for (let node = 0; node < this.nrNodes; node++) {
      const lock = this.hw.lock(`lru_lock ${memcg.path} node ${node}`);
      const heads = firstHead + LRUVEC_HEADS * node;
      memcg.lruvecs.push(new Lruvec(memcg, node, lock, heads, enabled, this.clock.jiffies));
    }
    this.memcgs[index] = memcg;
    this.byPrivateId.set(memcg.privateId, memcg);
    this.lru?.mglruReclaim?.memcgOnline(memcg);
    return memcg;
  }

  /**
   * A memcg is gone for good: its index is free again, and what it had done counts in its parent's
   * totals only. Nothing may be left that names it, but for folios that stay linked to its lists (see
   * LruvecHeads).
   * @throws Error when folios, children or address spaces do (INIT-03)
   */
  removeMemcg(memcg: Memcg): void {
    const { parent, children, mmList, index } = memcg;
    if (parent === null) throw new Error("removed the root memcg");
    if (children.length > 0) throw new Error(`removed memcg ${memcg.path}, which has children`);
    if (mmList.anchor.next !== mmList.anchor) {
      throw new Error(`removed memcg ${memcg.path}, which has address spaces`);
    }
    if (memcg.charged !== 0) throw new Error(`removed memcg ${memcg.path}, which has folios`);
    parent.children.splice(parent.children.indexOf(memcg), 1);
    this.swap.orphan(index, parent.index);
    this.lruvecHeads.giveBack(memcg);
    this.memcgs[index] = null;
    this.byPrivateId.delete(memcg.privateId);
  }

  /** mem_cgroup_get_from_id(). */
  memcgById(id: number): Memcg | undefined {
    return this.memcgs.find((memcg) => memcg?.id === id) ?? undefined;
  }

  /** mem_cgroup_from_private_id(): the memcg a shadow names, undefined once it is removed. */
  memcgByPrivateId(privateId: number): Memcg | undefined {
    return this.byPrivateId.get(privateId);
  }

  /** A new file, none of it cached. */
  createFile(options: FileOptions): FileMapping {
    const file = new FileMapping(this.files.length, options);
    this.files.push(file);
    return file;
  }

  /** folio_mapping(): the file a page-cache folio belongs to, null for any other folio. */
  fileOf(folio: number): FileMapping | null {
    const mapping = this.folios.mapping[folio] as number;
    return mapping & 1 ? null : (this.files[mapping >> 1] ?? null);
  }

  /** An address space without VMAs; not yet on a memcg's mm list (that is LruPolicy.mmAdd). */
  createMm(memcg: Memcg): Mm {
    return new Mm(this.nextMmId++, this.pageTables.allocTable(), memcg);
  }

  /**
   * Allocates a folio of `1 << order` pages: one reference, no flags, contents unknown. It is charged
   * by force, whatever the limits say (CHG-03).
   * @returns the folio, or NIL when no free block is large enough
   */
  allocFolio(order: number, memcg: Memcg): number {
    const folio = this.allocator.alloc(order);
    if (folio === NIL) return NIL;
    this.folios.prepare(folio, order, memcg.index);
    memcg.charged += 1 << order;
    if (memcg.isCounted) memcg.memory.charge(1 << order);
    return folio;
  }

  /** folio_lruvec(): the LRU lists a folio belongs to. */
  lruvecOf(folio: number): Lruvec {
    const memcg = this.memcgs[this.folios.memcg[folio] as number] as Memcg;
    return memcg.lruvecs[this.nrNodes === 1 ? 0 : this.allocator.nodeOf(folio)] as Lruvec;
  }

  /** Lowest index that no memcg has; those of removed memcgs are used again. */
  private freeMemcgIndex(): number {
    const removed = this.memcgs.indexOf(null);
    return removed < 0 ? this.memcgs.length : removed;
  }

  /** count_vm_events() and its memcg twin. */
  countEvents(id: number, memcg: Memcg, pages: number): void {
    this.vmstat.add(id, pages);
    memcg.vmstat.add(id, pages);
  }
}
