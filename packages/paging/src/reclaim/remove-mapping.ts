// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  type FileMapping,
  type FolioTable,
  type Memcg,
  type Memory,
  PG_DIRTY,
  type ReclaimPolicy,
} from "@lrugen/mm-core";
import type { Filemap } from "../file/filemap.ts";
import type { SwapCache } from "../swap/swap-cache.ts";

const DIRTY = PG_DIRTY;

/**
 * Takes a clean folio out of its cache, leaving a shadow in its place.
 * Source: SFL-20, RFT-04; mm/vmscan.c:__remove_mapping.
 */
export class RemoveMapping {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly filemap: Filemap;
  private readonly swap: SwapCache;

  constructor(memory: Memory, filemap: Filemap, swap: SwapCache) {
    this.memory = memory;
    this.folios = memory.folios;
    this.filemap = filemap;
    this.swap = swap;
  }

  /**
   * @param target memcg being reclaimed, null = the machine
   * @returns false = somebody else uses the folio, it is dirty, or it is in no cache; else it has no
   *   references left and is the caller's to free
   */
  remove(cpu: Cpu, folio: number, target: Memcg | null): boolean {
    const { flags, refcount } = this.folios;
    const policy = this.memory.lru.reclaim as ReclaimPolicy;
    const file = this.memory.fileOf(folio);
    const { swap } = this;
    const swapCached = swap.has(folio);
    if (!swapCached && file === null) return false;
    if ((flags[folio] as number) & DIRTY) return false;
    this.filemap.buffers.release(cpu, folio); // SFL-18
    if (refcount[folio] !== 1 + this.folios.nrPagesOf(folio)) return false;
    refcount[folio] = 0;
    if (swapCached) swap.removeFromCache(folio, policy.evictionShadow(folio, target));
    else this.evictFile(file as FileMapping, folio, policy, target);
    return true;
  }

  /** Pages of shared memory are not missed: no shadow. */
  private evictFile(
    file: FileMapping,
    folio: number,
    policy: ReclaimPolicy,
    target: Memcg | null,
  ): void {
    const shadow = file.shmem ? undefined : policy.evictionShadow(folio, target);
    this.filemap.evict(file, folio, shadow);
  }
}
