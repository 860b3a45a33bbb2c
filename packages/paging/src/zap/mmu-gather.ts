// @hot
import type { Cpu } from "@lrugen/hardware";
import { FOLIO_BATCH_SIZE, type Memory } from "@lrugen/mm-core";
import type { SwapCache } from "../swap/swap-cache.ts";

const BATCH_SIZE = FOLIO_BATCH_SIZE;

/** Entries of the array on the kernel's stack (MMU_GATHER_BUNDLE). */
const LOCAL_ENTRIES = 8;
/** Entries of each further array, a page minus its header (MAX_GATHER_BATCH). */
const ARRAY_ENTRIES = 510;
/** The local array and MAX_GATHER_BATCH_COUNT further ones. */
const MAX_ARRAYS = 20;
const MAX_FOLIOS = LOCAL_ENTRIES + (MAX_ARRAYS - 1) * ARRAY_ENTRIES;

/**
 * struct mmu_gather: the folios of a zap, whose references are dropped together once the TLB is
 * flushed. How they are cut into arrays decides how often the lruvec lock is taken, so the arrays
 * are counted as the kernel fills them.
 *
 * Chunks of 512 entries (REL-05) need no code: an array has at most 510.
 *
 * Source: REL-03..REL-06; mm/mmu_gather.c.
 */
export class MmuGather {
  private readonly memory: Memory;
  private readonly swap: SwapCache;
  private readonly folios: Int32Array = new Int32Array(MAX_FOLIOS);
  private readonly refs: Int32Array = new Int32Array(MAX_FOLIOS);
  /** Where each full array ends in `folios`. */
  private readonly arrayEnds: Int32Array = new Int32Array(MAX_ARRAYS);
  private readonly batch: Int32Array = new Int32Array(BATCH_SIZE);
  private readonly batchRefs: Int32Array = new Int32Array(BATCH_SIZE);
  private nrFolios = 0;
  private nrArrays = 0;
  /** Entries used of the current array. */
  private used = 0;

  constructor(memory: Memory, swap: SwapCache) {
    this.memory = memory;
    this.swap = swap;
  }

  /**
   * __tlb_remove_folio_pages(): `refs` references of a folio to drop, one for each page mapped or
   * for a PMD. A run of pages takes two entries, a single one takes one (REL-03). When the last array
   * is full everything gathered is freed at once (REL-04).
   */
  add(cpu: Cpu, folio: number, refs: number): void {
    this.folios[this.nrFolios] = folio;
    this.refs[this.nrFolios++] = refs;
    this.used += refs === 1 ? 1 : 2;
    const max = this.nrArrays === 0 ? LOCAL_ENTRIES : ARRAY_ENTRIES;
    if (this.used < max - 1) return;
    this.closeArray();
    if (this.nrArrays === MAX_ARRAYS) this.flush(cpu);
  }

  /** tlb_finish_mmu(), tlb_flush_mmu(): drops what was gathered, in batches of 31 that never span arrays. */
  flush(cpu: Cpu): void {
    if (this.used > 0) this.closeArray();
    let from = 0;
    for (let array = 0; array < this.nrArrays; array++) {
      const end = this.arrayEnds[array] as number;
      for (; from < end; from += BATCH_SIZE) {
        this.put(cpu, from, Math.min(end, from + BATCH_SIZE));
      }
      from = end;
    }
    this.nrFolios = 0;
    this.nrArrays = 0;
  }

  private closeArray(): void {
    this.arrayEnds[this.nrArrays++] = this.nrFolios;
    this.used = 0;
  }

  /** free_pages_and_swap_cache(): what nothing maps and no swap entry refers to leaves swap (REL-06). */
  private put(cpu: Cpu, from: number, end: number): void {
    for (let i = from; i < end; i++) {
      const folio = this.folios[i] as number;
      if (this.swap.has(folio) && this.memory.folios.mapcountOf(folio) === 0)
        this.swap.freeSwap(folio);
      this.batch[i - from] = folio;
      this.batchRefs[i - from] = this.refs[i] as number;
    }
    this.memory.release.putRefs(cpu, this.batch, this.batchRefs, end - from);
  }
}
