// @hot
import {
  type FolioTable,
  type Memcg,
  type Memory,
  NR_VMSCAN_WRITE,
  PG_DIRTY,
  PG_RECLAIM,
  PG_WRITEBACK,
} from "@lrugen/mm-core";
import type { ShmemSwap } from "../swap/shmem-swap.ts";
import type { SwapCache } from "../swap/swap-cache.ts";

const DIRTY = PG_DIRTY;
const RECLAIM = PG_RECLAIM;
const WRITEBACK = PG_WRITEBACK;
const WRITTEN = NR_VMSCAN_WRITE;

/** How writing a folio out ended: it stays as it is, goes to the young end, is written, was clean. */
export type PageoutResult = "keep" | "activate" | "success" | "clean";

/**
 * Writes a dirty, unmapped folio of anonymous or shared memory to swap.
 * Source: SFL-16, SFL-17, SFL-24; mm/vmscan.c:pageout.
 */
export class Pageout {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly swap: SwapCache;
  private readonly shmem: ShmemSwap;

  constructor(memory: Memory, swap: SwapCache, shmem: ShmemSwap) {
    this.memory = memory;
    this.folios = memory.folios;
    this.swap = swap;
    this.shmem = shmem;
  }

  /**
   * @param folio isolated: its references are those of the caller and of its cache
   */
  write(folio: number): PageoutResult {
    const { flags, refcount, memcg } = this.folios;
    const pages = this.folios.nrPagesOf(folio);
    if (refcount[folio] !== 1 + pages) return "keep";
    const file = this.memory.fileOf(folio);
    if (file !== null && !file.shmem) return "activate";
    if (file === null && !this.swap.has(folio)) return "keep";
    if (((flags[folio] as number) & DIRTY) === 0) return "clean";
    if (file !== null && this.shmem.moveToSwap(file, folio) !== 0) return "activate";
    flags[folio] = ((flags[folio] as number) & ~DIRTY) | RECLAIM;
    // What no entry refers to is not worth writing: it leaves swap, dirty again (SFL-24).
    if (!this.swap.freeSwap(folio)) this.swap.write(folio);
    if ((flags[folio] & WRITEBACK) === 0) flags[folio] &= ~RECLAIM;
    const owner = this.memory.memcgs[memcg[folio] as number] as Memcg;
    this.memory.countEvents(WRITTEN, owner, pages);
    return "success";
  }
}
