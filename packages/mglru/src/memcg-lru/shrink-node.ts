import {
  calculateProtection,
  type FolioReclaimer,
  isBelowLow,
  isBelowMin,
  type Lruvec,
  type Memcg,
  MEMCG_LOW,
  type Memory,
  type ScanControl,
} from "@lrugen/mm-core";
import type { ReclaimWalks } from "../eviction/reclaim-walks.ts";
import { isSizable, type ScanTarget } from "../eviction/scan-target.ts";
import type { ShrinkLruvec } from "../eviction/shrink-lruvec.ts";
import { MEMCG_NR_BINS } from "./bin-chooser.ts";
import {
  MEMCG_LRU_NOP,
  MEMCG_LRU_TAIL,
  MEMCG_LRU_YOUNG,
  MEMCG_NR_GENS,
  type MemcgLru,
} from "./memcg-lru.ts";

/** Computes what protects a memcg from the machine's own reclaim, from the top down (CHG-36). */
function protectFromMachine(memcg: Memcg): void {
  if (memcg.parent !== null) protectFromMachine(memcg.parent);
  calculateProtection(null, memcg);
}

/**
 * Reclaim because the machine is short: every memcg of the old generation gets its turn.
 * Source: SHR-04, SHR-06, MLRU-10, MLRU-11; mm/vmscan.c:lru_gen_shrink_node, shrink_many, shrink_one.
 */
export class ShrinkNode {
  private readonly memory: Memory;
  private readonly memcgLrus: readonly MemcgLru[];
  private readonly shrink: ShrinkLruvec;
  private readonly target: ScanTarget;
  private readonly walks: ReclaimWalks;

  constructor(
    memory: Memory,
    memcgLrus: readonly MemcgLru[],
    shrink: ShrinkLruvec,
    target: ScanTarget,
    walks: ReclaimWalks,
  ) {
    this.memory = memory;
    this.memcgLrus = memcgLrus;
    this.shrink = shrink;
    this.target = target;
    this.walks = walks;
  }

  /** lru_gen_shrink_node() (SHR-04). Vmpressure has no observer in the model. */
  shrinkNode(node: number, sc: ScanControl): void {
    if (!sc.mayWritepage || !sc.mayUnmap) return;
    this.memory.batches.drain(sc.task.cpu);
    this.walks.begin(sc, node);
    this.shrink.setInitialPriority(node, sc);
    const before = sc.nrReclaimed;
    if (sc.kswapd) sc.nrReclaimed = 0;
    this.shrinkMany(node, sc);
    if (sc.kswapd) sc.nrReclaimed += before;
    this.walks.end(sc);
  }

  /** shrink_many(): the bins of the old generation, from a random one on (MLRU-10). */
  private shrinkMany(node: number, sc: ScanControl): void {
    const lru = this.memcgLrus[node] as MemcgLru;
    const gen = lru.seq % MEMCG_NR_GENS;
    const first = lru.chooseBin();
    let bin = first;
    do {
      if (!this.shrinkBin(lru, gen, bin, node, sc)) return;
      bin = (bin + 1) % MEMCG_NR_BINS;
    } while (bin !== first);
  }

  /** The memcgs of one bin. @returns false = the reclaimer has enough */
  private shrinkBin(
    lru: MemcgLru,
    gen: number,
    bin: number,
    node: number,
    sc: ScanControl,
  ): boolean {
    for (;;) {
      let operation = MEMCG_LRU_NOP;
      let previous: Lruvec | null = null;
      let enough = false;
      let link = lru.bin(gen, bin).next;
      for (; link.lruvec !== null && !enough; link = link.next) {
        // Moved only now: the iterator has left it.
        if (previous !== null && operation !== MEMCG_LRU_NOP) lru.rotate(previous, operation);
        operation = MEMCG_LRU_NOP;
        previous = link.lruvec;
        if (previous.lrugen.gen !== gen) continue;
        operation = this.shrinkOne(previous, sc);
        enough = this.shrink.shouldAbort(node, sc);
      }
      if (previous !== null && operation !== MEMCG_LRU_NOP) lru.rotate(previous, operation);
      if (enough) return false;
      // The end marker of another generation: the entry had been moved under the iterator.
      if (link.gen === gen) return true;
    }
  }

  /** shrink_one(). @returns what to do with the memcg in the memcg LRU (SHR-06) */
  private shrinkOne(lruvec: Lruvec, sc: ScanControl): number {
    const { memcg } = lruvec;
    const { seg } = lruvec.lrugen;
    if (!sc.kswapd) protectFromMachine(memcg);
    if (isBelowMin(null, memcg)) return MEMCG_LRU_YOUNG;
    if (isBelowLow(null, memcg)) {
      if (seg !== MEMCG_LRU_TAIL) return MEMCG_LRU_TAIL;
      memcg.countEvent(MEMCG_LOW);
    }
    const rotate = this.shrink.tryToShrink(lruvec, sc);
    (this.memory.reclaimer as FolioReclaimer).shrinkSlab(sc, lruvec.node, memcg);
    if (rotate && !memcg.offline) return MEMCG_LRU_YOUNG;
    const swappiness = this.target.swappiness(memcg, sc);
    if (!rotate && isSizable(lruvec, sc.priority, swappiness)) return MEMCG_LRU_NOP;
    return seg === MEMCG_LRU_TAIL ? MEMCG_LRU_YOUNG : MEMCG_LRU_TAIL;
  }
}
