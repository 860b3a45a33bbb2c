import type { Cpu } from "@lrugen/hardware";
import {
  EAGAIN,
  EBUSY,
  type FileMapping,
  type FolioTable,
  LRU_GEN_MASK,
  LRU_REFS_MASK,
  type Memcg,
  type Memory,
  NIL,
  PG_ACTIVE,
  PG_ANON_EXCLUSIVE,
  PG_DIRTY,
  PG_DROPBEHIND,
  PG_HEAD,
  PG_IDLE,
  PG_LRU,
  PG_MLOCKED,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  PG_UPTODATE,
  PG_WORKINGSET,
  PG_WRITEBACK,
  PG_YOUNG,
  STATE_FILE_THP,
  STATE_SHMEM_THP,
  THP_SPLIT_PAGE,
  THP_SPLIT_PAGE_FAILED,
} from "@lrugen/mm-core";
import type { Filemap } from "../file/filemap.ts";
import type { TryToUnmap } from "../rmap/try-to-unmap.ts";
import { PAGES_PER_PMD, PMD_ORDER } from "../thp/thp-config.ts";
import type { SwapCache } from "../swap/swap-cache.ts";
import type { SplitMappings } from "./split-mappings.ts";

/** What each part has of the folio it was a part of (SPLIT-03). */
const INHERITED =
  PG_REFERENCED |
  PG_SWAPBACKED |
  PG_SWAPCACHE |
  PG_MLOCKED |
  PG_UPTODATE |
  PG_ACTIVE |
  PG_WORKINGSET |
  PG_UNEVICTABLE |
  PG_DIRTY |
  PG_DROPBEHIND |
  PG_YOUNG |
  PG_IDLE |
  LRU_GEN_MASK |
  LRU_REFS_MASK;

/** What splitting a folio needs. */
export interface SplitParts {
  readonly mappings: SplitMappings;
  readonly unmap: TryToUnmap;
  readonly filemap: Filemap;
  readonly swap: SwapCache;
}

/**
 * Splits a large folio into single pages. Page tables keep their entries for the pages of an anonymous
 * folio; those of a file are unmapped, and faults bring them back.
 * Source: SPLIT-01..SPLIT-05, SIZE-04; mm/huge_memory.c:__folio_split.
 */
export class SplitFolio {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly parts: SplitParts;

  constructor(memory: Memory, parts: SplitParts) {
    this.memory = memory;
    this.folios = memory.folios;
    this.parts = parts;
  }

  /**
   * split_folio_to_list(): the caller holds a reference of the folio, which the first page has then.
   * @param list where the other pages go, with a reference each; NIL = to the LRU list, next to the
   *   first page
   * @returns 0; −EAGAIN when somebody else holds a reference, −EBUSY under writeback, for a dirty folio of
   *   a file that is no shared memory, or when the address space of an anonymous folio is gone
   */
  split(cpu: Cpu, folio: number, list: number): number {
    const { folios } = this;
    const huge = folios.order[folio] === PMD_ORDER;
    const memcg = this.memory.memcgs[folios.memcg[folio] as number] as Memcg;
    const error = this.check(cpu, folio);
    if (huge)
      this.memory.countEvents(error === 0 ? THP_SPLIT_PAGE : THP_SPLIT_PAGE_FAILED, memcg, 1);
    if (error !== 0) return error;
    const pages = folios.nrPagesOf(folio);
    const file = this.memory.fileOf(folio);
    if (file === null) this.parts.mappings.prepare(cpu, folio);
    else this.parts.unmap.unmap(cpu, folio, true);
    this.memory.deferredSplit.remove(folio);
    this.breakUp(cpu, folio, pages, list);
    if (file !== null) this.recache(cpu, file, folio, pages);
    if (file === null) this.parts.mappings.remap(cpu, folio, pages);
    for (let part = folio + 1; part < folio + pages; part++) {
      if (folios.mapcountOf(part) === 0) this.parts.swap.freeSwap(part);
      this.memory.release.put(cpu, part);
    }
    return 0;
  }

  private check(cpu: Cpu, folio: number): number {
    const { flags, mapping, refcount } = this.folios;
    const word = flags[folio] as number;
    if (word & PG_WRITEBACK) return -EBUSY;
    // The file system cannot let go of dirty buffers (seen on 7.3.4).
    if (word & PG_DIRTY && this.memory.fileOf(folio)?.shmem === false) return -EBUSY;
    this.parts.filemap.buffers.release(cpu, folio);
    const id = mapping[folio] as number;
    if (id & 1 && this.memory.anonVmas.get(id >> 1) === undefined) return -EBUSY;
    const expected = this.folios.expectedRefCountOf(folio) + 1;
    return refcount[folio] === expected ? 0 : -EAGAIN;
  }

  /** __split_unmapped_folio(): every page is a folio of its own, on its list. */
  private breakUp(cpu: Cpu, folio: number, pages: number, list: number): void {
    const { folios, memory } = this;
    const { flags, mapcount, mapping, index, memcg, order, refcount, next, prev } = folios;
    const word = flags[folio] as number;
    const cached = word & PG_SWAPCACHE || memory.fileOf(folio) !== null ? 1 : 0;
    const lruvec = memory.lruvecOf(folio);
    cpu.acquire(lruvec.lock);
    flags[folio] = word & ~PG_HEAD;
    order[folio] = 0;
    refcount[folio] = (mapcount[folio] as number) + cached + 1;
    for (let part = folio + 1; part < folio + pages; part++) {
      flags[part] = (word & INHERITED) | ((flags[part] as number) & PG_ANON_EXCLUSIVE);
      order[part] = 0;
      memcg[part] = memcg[folio] as number;
      mapping[part] = mapping[folio] as number;
      index[part] = (index[folio] as number) + (part - folio);
      refcount[part] = (mapcount[part] as number) + cached + 1;
      next[part] = NIL;
      prev[part] = NIL;
      if (list !== NIL) {
        refcount[part]! += 1;
        memory.lists.addTail(list, part);
      } else if (word & PG_LRU) {
        // "The tail of the list that begins at the folio" is right before it, towards the hot end.
        if ((word & PG_UNEVICTABLE) === 0) memory.lists.addTail(folio, part);
        flags[part]! |= PG_LRU;
      }
    }
    cpu.release(lruvec.lock);
  }

  /** The parts of a page-cache folio take its place; those beyond the end of the file go. */
  private recache(cpu: Cpu, file: FileMapping, folio: number, pages: number): void {
    this.memory.pageCache.split(file, folio, pages);
    if (pages === PAGES_PER_PMD) {
      const item = file.shmem ? STATE_SHMEM_THP : STATE_FILE_THP;
      this.memory.states.add(item, this.folios.memcg[folio] as number, -pages);
    }
    const first = this.folios.index[folio] as number;
    for (let page = Math.max(first + 1, file.pages); page < first + pages; page++) {
      this.parts.filemap.remove(cpu, file, folio + (page - first));
    }
  }
}
