import type { Cpu } from "@lrugen/hardware";
import { type FileMapping, type Memory, NIL, NO_SLOT, PG_DIRTY, type Task } from "@lrugen/mm-core";
import type { Filemap } from "../file/filemap.ts";
import type { SwapCache } from "./swap-cache.ts";
import type { SwapIn } from "./swap-in.ts";

/**
 * Shared memory that is swapped out: the page cache holds swap entries in place of folios, and each
 * counts for its slot as one in a page table would.
 * Source: PGC-03, SWP-04; mm/shmem.c.
 */
export class ShmemSwap {
  /** Whether the last swapIn() had to read. */
  hasRead = false;
  private readonly memory: Memory;
  private readonly cache: SwapCache;
  private readonly filemap: Filemap;
  private readonly swapIns: SwapIn;

  constructor(memory: Memory, cache: SwapCache, filemap: Filemap, swapIns: SwapIn) {
    this.memory = memory;
    this.cache = cache;
    this.filemap = filemap;
    this.swapIns = swapIns;
  }

  /**
   * The first half of shmem_writeout(): an unmapped folio of shared memory moves from the page cache
   * to the swap cache. The caller writes it (SwapCache.write) and holds a reference.
   * @returns 0, or −ENOMEM when there is no swap for it; then nothing changed
   */
  moveToSwap(file: FileMapping, folio: number): number {
    const error = this.cache.allocSwap(folio);
    if (error !== 0) return error;
    const slot = this.cache.firstSlot(folio);
    const pages = this.memory.folios.nrPagesOf(folio);
    for (let i = slot; i < slot + pages; i++) this.cache.dup(i);
    this.filemap.replaceWithSwap(file, folio, slot);
    return 0;
  }

  /** Whether a page is swapped out. */
  has(file: FileMapping, index: number): boolean {
    return this.memory.pageCache.swapSlot(file, index) !== NO_SLOT;
  }

  /**
   * shmem_swapin_folio(): brings a page that is swapped out back into the page cache; the swap cache
   * is left at once, so the folio is dirty.
   * @returns the folio, of which the caller has no reference, or NIL when there is no memory
   */
  swapIn(task: Task, file: FileMapping, index: number): number {
    const { memory, cache } = this;
    const { folios } = memory;
    const slot = memory.pageCache.swapSlot(file, index);
    let folio = cache.lookup(slot);
    this.hasRead = folio === NIL;
    if (folio === NIL) {
      folio = this.swapIns.read(task, slot, 0, task.mm?.memcg ?? memory.root);
      if (folio === NIL) return NIL;
      folios.refcount[folio]! -= 1;
    }
    const first = cache.firstSlot(folio);
    const pages = folios.nrPagesOf(folio);
    this.filemap.replaceSwap(file, folio, index - (slot - first));
    for (let i = first; i < first + pages; i++) cache.put(i);
    cache.removeFromCache(folio, undefined);
    folios.refcount[folio]! -= pages;
    folios.flags[folio]! |= PG_DIRTY;
    return folio;
  }

  /**
   * shmem_swapin_range(), for MADV_WILLNEED: pages [first, end) that are swapped out are read into the
   * swap cache.
   */
  readAhead(task: Task, file: FileMapping, first: number, end: number): void {
    const { memory, cache } = this;
    const owner = task.mm?.memcg ?? memory.root;
    for (let index = first; index < end; index++) {
      const slot = memory.pageCache.swapSlot(file, index);
      if (slot === NO_SLOT || cache.lookup(slot) !== NIL) continue;
      const folio = this.swapIns.read(task, slot, 0, owner);
      if (folio === NIL) return;
      memory.release.put(task.cpu, folio);
    }
  }

  /** shmem_free_swap(): forgets what is swapped out of pages [first, end). */
  drop(cpu: Cpu, file: FileMapping, first: number, end: number): void {
    const { pageCache } = this.memory;
    const stop = Math.min(end, file.leaves.length * 64);
    for (let index = first; index < stop; index++) {
      const slot = pageCache.swapSlot(file, index);
      if (slot === NO_SLOT) continue;
      pageCache.clearSwap(file, index);
      this.cache.putAndReclaim(cpu, slot);
    }
  }
}
