import type { Lruvec } from "../lru/lruvec.ts";
import { VmStat } from "../stat/vmstat.ts";
import { MemcgEvents } from "./memcg-events.ts";
import { PageCounter } from "./page-counter.ts";
import { LruGenMmList } from "./mm-list.ts";

/**
 * One memory cgroup: its place in the tree, its LRU lists and its address spaces.
 * Source: FOL-40, INIT-03; mm/memcontrol.c:struct mem_cgroup.
 */
export class Memcg {
  /** Index in the machine's memcg table; what FolioTable.memcg holds. */
  readonly index: number;
  /** 64-bit cgroup id: the inode number of its directory; the root's is 1 (TXT-02). */
  readonly id: number;
  readonly parent: Memcg | null;
  /** Path from the root, `/` for the root itself. */
  readonly path: string;
  readonly children: Memcg[] = [];
  /** One per node, in node order. */
  readonly lruvecs: Lruvec[] = [];
  readonly mmList: LruGenMmList = new LruGenMmList();
  /** Events of this memcg alone, not of its descendants. */
  readonly vmstat: VmStat = new VmStat();
  /** Pages charged to it and everything below, and its limits. The root is never charged (CHG-01). */
  readonly memory: PageCounter;
  /** Swap slots charged to it and everything below, and memory.swap.max. The root is never charged. */
  readonly swap: PageCounter;
  /** Pages of folios that are its own. */
  charged = 0;
  /** Pages of kernel memory that are its own: page tables, and those that its small objects need (CHG-40). */
  kernelPages = 0;
  /** Bytes of its own structures, which its parent pays for. */
  structBytes = 0;
  /** Counters of memory.events and memory.events.local. */
  readonly events: MemcgEvents = new MemcgEvents();
  /** Number that shadows remember; never reused (RFT-01). */
  readonly privateId: number;
  /** rmdir was called. */
  offline = false;

  constructor(
    index: number,
    id: number,
    parent: Memcg | null,
    name: string,
    privateId: number = index,
  ) {
    this.index = index;
    this.id = id;
    this.parent = parent;
    this.privateId = privateId;
    const above = parent === null || parent.parent === null ? null : parent;
    this.memory = new PageCounter(above?.memory ?? null);
    this.swap = new PageCounter(above?.swap ?? null);
    this.path = parent === null ? "/" : `${parent.parent === null ? "" : parent.path}/${name}`;
    parent?.children.push(this);
  }

  /** memcg_memory_event(): counted here and at every ancestor below the root (CHG-53). */
  countEvent(event: number): void {
    this.events.local[event]! += 1;
    countUpwards(this, event);
  }

  /** Whether memory of this memcg is counted at all: not of the root (CHG-01). */
  get isCounted(): boolean {
    return this.parent !== null;
  }

  /** Whether this is `ancestor` or below it. */
  isWithin(ancestor: Memcg): boolean {
    return this === ancestor || (this.parent?.isWithin(ancestor) ?? false);
  }

  /** This memcg and everything below it, parents before children (TXT-01). */
  *preOrder(): Generator<Memcg, void, undefined> {
    yield this;
    for (const child of this.children) yield* child.preOrder();
  }
}

function countUpwards(first: Memcg, event: number): void {
  for (let memcg: Memcg | null = first; memcg?.isCounted === true; memcg = memcg.parent) {
    memcg.events.hierarchical[event]! += 1;
  }
}
