import type { Cpu } from "@lrugen/hardware";
import {
  ANON_AND_FILE,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_ZONES,
  type Memcg,
  type Memory,
  NR_LRU_LISTS,
  STATE_ITEMS,
} from "@lrugen/mm-core";
import type { GenerationWindow } from "../aging/generation-window.ts";
import { genFromSeq, isActiveGen, nrGens } from "../generation/generation.ts";

/**
 * A memcg goes away: its folios move to its parent, list by list.
 * Source: REPAR-01..04; mm/vmscan.c:max_lru_gen_memcg, lru_gen_reparent_memcg.
 */
export class Reparent {
  private readonly memory: Memory;
  private readonly window: GenerationWindow;
  private readonly swappinessOf: (memcg: Memcg) => number;

  constructor(memory: Memory, window: GenerationWindow, swappinessOf: (memcg: Memcg) => number) {
    this.memory = memory;
    this.window = window;
    this.swappinessOf = swappinessOf;
  }

  /** Lists, sizes and owners of all folios of `memcg` become its parent's. The root has none. */
  reparent(cpu: Cpu, memcg: Memcg): void {
    const { parent } = memcg;
    if (parent === null) return;
    for (const [node, child] of memcg.lruvecs.entries()) {
      const target = parent.lruvecs[node] as Lruvec;
      this.openAllGenerations(cpu, target);
      cpu.acquire(target.lock);
      cpu.acquire(child.lock);
      this.moveGenerations(child, target);
      this.moveClassic(child, target);
      leaveCounters(child, target);
      cpu.release(child.lock);
      cpu.release(target.lock);
    }
    this.moveOwnership(memcg, parent);
  }

  /**
   * Every folio of the child, on a list or not, and what it counted. The kernel changes one pointer
   * that all folios share; totals of a cgroup always include those of cgroups that are gone.
   */
  private moveOwnership(memcg: Memcg, parent: Memcg): void {
    const { folios, states } = this.memory;
    const owners = folios.memcg;
    for (let at = owners.indexOf(memcg.index); at >= 0; at = owners.indexOf(memcg.index, at + 1)) {
      owners[at] = parent.index;
    }
    parent.charged += memcg.charged;
    memcg.charged = 0;
    for (let item = 0; item < STATE_ITEMS.length; item++) {
      const pages = states.of(item, memcg.index);
      states.add(item, parent.index, pages);
      states.add(item, memcg.index, -pages);
    }
    const { values } = memcg.vmstat;
    for (let id = 0; id < values.length; id++) parent.vmstat.add(id, values[id] as number);
    values.fill(0);
  }

  /** max_lru_gen_memcg(): the parent gets a list for every list of the child (REPAR-02). */
  private openAllGenerations(cpu: Cpu, lruvec: Lruvec): void {
    const { lrugen, mmState } = lruvec;
    const swappiness = this.swappinessOf(lruvec.memcg);
    for (let type = 0; type < ANON_AND_FILE; type++) {
      while (nrGens(lrugen, type) < MAX_NR_GENS) {
        if (lrugen.maxSeq > mmState.seq) mmState.seq += 1;
        this.window.incMaxSeq(cpu, lruvec, lrugen.maxSeq, swappiness);
      }
    }
  }

  /** Lists go to the cold end of the list with the same slot, whatever that means in age (REPAR-03). */
  private moveGenerations(child: Lruvec, target: Lruvec): void {
    for (let type = 0; type < ANON_AND_FILE; type++) {
      const gens = nrGens(child.lrugen, type);
      for (let i = 0; i < gens; i++) {
        const gen = genFromSeq(child.lrugen.maxSeq - i);
        for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
          this.moveList(child, target, gen, type, zone);
        }
      }
    }
  }

  private moveList(child: Lruvec, target: Lruvec, gen: number, type: number, zone: number): void {
    const slot = (gen * 2 + type) * MAX_NR_ZONES + zone;
    this.splice(child.lrugen.listHead + slot, target.lrugen.listHead + slot);
    const pages = child.lrugen.nrPages[slot] as number;
    child.lrugen.nrPages[slot] = 0;
    target.lrugen.nrPages[slot]! += pages;
    const inactive = type * 2 * MAX_NR_ZONES + zone;
    const size = (active: boolean): number => (active ? inactive + MAX_NR_ZONES : inactive);
    child.lruSize[size(isActiveGen(child.lrugen, gen))]! -= pages;
    target.lruSize[size(isActiveGen(target.lrugen, gen))]! += pages;
  }

  /** Classic lists, empty while the multi-gen ones are in use, and what is unevictable (REPAR-04). */
  private moveClassic(child: Lruvec, target: Lruvec): void {
    for (let lru = 0; lru < NR_LRU_LISTS; lru++) {
      if (lru < NR_LRU_LISTS - 1) this.splice(child.listHead + lru, target.listHead + lru);
      for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
        const pages = child.lruZoneSize[lru * MAX_NR_ZONES + zone] as number;
        child.updateLruSize(lru, zone, -pages);
        target.updateLruSize(lru, zone, pages);
      }
    }
  }

  private splice(from: number, to: number): void {
    const { lists } = this.memory;
    if (!lists.isEmpty(from)) lists.bulkMoveTail(to, lists.first(from), lists.tail(from));
  }
}

/**
 * What the child still counts: pages outside its window, which stay on its lists (AGE-11). They leave
 * through the parent's counters, so that its generation sizes become negative; but its totals included the
 * child's and stay right.
 */
function leaveCounters(child: Lruvec, { lruSize, lrugen }: Lruvec): void {
  for (const [slot, pages] of child.lruSize.entries()) lruSize[slot]! += pages;
  child.lruSize.fill(0);
  const { nrPages, abandonedPages, gaveUpPopulated } = child.lrugen;
  for (const [slot, pages] of nrPages.entries()) {
    lrugen.abandonedPages[slot]! += pages + (abandonedPages[slot] as number);
  }
  for (const [type, gaveUp] of gaveUpPopulated.entries()) lrugen.gaveUpPopulated[type] ||= gaveUp;
}
