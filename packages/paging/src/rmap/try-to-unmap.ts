// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_SWAP_EXCLUSIVE,
  ENTRY_SHIFT,
  ENTRY_WRITE,
  type FileMapping,
  type FolioTable,
  type Memory,
  type PageTables,
  PG_ANON_EXCLUSIVE,
  PG_DIRTY,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  VM_LOCKED,
  VM_SPECIAL,
} from "@lrugen/mm-core";
import type { Filemap } from "../file/filemap.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import { pteBatch } from "../page-table/pte-batch.ts";
import type { SwapCache } from "../swap/swap-cache.ts";
import type { PmdSplit } from "../thp/split-pmd.ts";
import { MappedWalk } from "./mapped-walk.ts";

const PTE_DIRTY = ENTRY_DIRTY;
/** Bits that a run of PTEs has in common once it was taken out and put back. */
const PTE_MERGED = ENTRY_ACCESSED | ENTRY_DIRTY;
const PTE_EXCLUSIVE = ENTRY_SWAP_EXCLUSIVE;
const PTE_WRITE = ENTRY_WRITE;
const SHIFT = ENTRY_SHIFT;
const EXCLUSIVE = PG_ANON_EXCLUSIVE;
const DIRTY = PG_DIRTY;
const SWAPBACKED = PG_SWAPBACKED;
const SWAPCACHE = PG_SWAPCACHE;
const LOCKED = VM_LOCKED;
const LOCKED_OR_SPECIAL = VM_LOCKED | VM_SPECIAL;

/** What unmapping a folio needs. */
export interface UnmapParts {
  readonly maps: FolioMaps;
  readonly filemap: Filemap;
  readonly pmdSplit: PmdSplit;
  readonly swap: SwapCache;
}

/**
 * Takes a folio out of every page table that maps it. Swap-backed anonymous pages leave a swap entry;
 * the accessed bits are lost.
 * Source: TTU-01..TTU-10; mm/rmap.c:try_to_unmap.
 */
export class TryToUnmap {
  private readonly parts: UnmapParts;
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly pageTables: PageTables;
  private readonly walk: MappedWalk;

  constructor(memory: Memory, parts: UnmapParts) {
    this.memory = memory;
    this.parts = parts;
    this.folios = memory.folios;
    this.pageTables = memory.pageTables;
    this.walk = new MappedWalk(memory);
  }

  /**
   * Unmaps as much as can be; whether it was all, the map count tells (TTU-10). The caller holds a
   * reference.
   * @param ignoreMlock out of locked VMAs too
   */
  unmap(cpu: Cpu, folio: number, ignoreMlock: boolean): void {
    const { walk } = this;
    const vmas = walk.vmasOf(folio);
    for (let i = 0; i < vmas.length; i++) {
      const vma = vmas[i]!;
      if (!walk.start(folio, vma)) continue;
      // Secondary MMUs hear of the range whether or not anything is mapped there (TTU-02).
      invalidateStart(vma.mm, walk.first, walk.end);
      const goOn = this.unmapVma(cpu, folio, ignoreMlock);
      invalidateEnd(vma.mm, walk.first, walk.end);
      if (!goOn || this.folios.mapcountOf(folio) === 0) return;
    }
  }

  /** try_to_unmap_one(). @returns false = the folio cannot be unmapped */
  private unmapVma(cpu: Cpu, folio: number, ignoreMlock: boolean): boolean {
    const { walk } = this;
    if (walk.vma.flags & LOCKED && !ignoreMlock) return this.restoreMlock(cpu, folio);
    const anon = ((this.folios.mapping[folio] as number) & 1) !== 0;
    while (walk.next()) {
      if (walk.nr === 0) {
        this.parts.pmdSplit.split(cpu, walk.vma, walk.slot, walk.vpn);
        walk.restart();
        continue;
      }
      if (!anon) this.unmapFilePtes(cpu, folio);
      else if ((this.folios.flags[folio] as number) & SWAPBACKED) {
        if (!this.unmapSwapBacked(cpu, folio)) return false;
      } else if (!this.unmapLazyFree(cpu, folio)) return false;
    }
    return true;
  }

  /** A locked VMA keeps the folio. One that it maps whole by one page table is mlocked again (TTU-03). */
  private restoreMlock(cpu: Cpu, folio: number): boolean {
    const { walk } = this;
    const pages = this.folios.nrPagesOf(folio);
    let seen = 0;
    while (walk.next()) {
      seen += 1;
      if (walk.nr !== 0 && seen !== pages) continue;
      const whole = !walk.crossedTable && (walk.vma.flags & LOCKED_OR_SPECIAL) === LOCKED;
      if (whole) this.memory.batches.mlock(cpu, folio);
      break;
    }
    // A locked VMA that maps none of it does not mind.
    return seen === 0;
  }

  /** Pages of the page cache, a run at a time (TTU-05, TTU-08). */
  private unmapFilePtes(cpu: Cpu, folio: number): void {
    const { walk } = this;
    const { slot, vma } = walk;
    const nr = this.run(folio);
    const pfn = (this.pageTables.entries[slot] as number) >>> SHIFT;
    if (this.clear(slot, nr) & PTE_DIRTY) {
      this.parts.filemap.markDirty(this.memory.fileOf(folio) as FileMapping, folio);
    }
    vma.mm.filePages -= nr;
    this.drop(cpu, folio, pfn, nr);
  }

  /**
   * Pages that MADV_FREE was told of, a run at a time (TTU-07).
   * @returns false = the folio was written to since, or is used by somebody
   */
  private unmapLazyFree(cpu: Cpu, folio: number): boolean {
    const { walk } = this;
    const { slot, vma } = walk;
    const { flags, refcount } = this.folios;
    const { entries } = this.pageTables;
    const nr = this.run(folio);
    let bits = 0;
    for (let i = slot; i < slot + nr; i++) bits |= entries[i] as number;
    if (bits & PTE_DIRTY) flags[folio]! |= DIRTY;
    const dirty = ((flags[folio] as number) & DIRTY) !== 0;
    if (dirty) flags[folio]! |= SWAPBACKED;
    if (dirty || refcount[folio] !== 1 + this.folios.mapcountOf(folio)) {
      // The run is put back as one: what was young or dirty of it makes all of it so.
      for (let i = slot; i < slot + nr; i++) entries[i]! |= bits & PTE_MERGED;
      return false;
    }
    const pfn = (entries[slot] as number) >>> SHIFT;
    this.clear(slot, nr);
    vma.mm.anonPages -= nr;
    this.drop(cpu, folio, pfn, nr);
    return true;
  }

  /**
   * One page of ordinary anonymous memory (TTU-06).
   * @returns false = it is not in the swap cache
   */
  private unmapSwapBacked(cpu: Cpu, folio: number): boolean {
    const { walk } = this;
    const { slot, vma } = walk;
    const { flags, swap } = this.folios;
    const { entries } = this.pageTables;
    if (((flags[folio] as number) & SWAPCACHE) === 0) return false;
    const entry = entries[slot] as number;
    const pfn = entry >>> SHIFT;
    if (entry & PTE_DIRTY) flags[folio]! |= DIRTY;
    const swapSlot = swap[pfn] as number;
    this.parts.swap.dup(swapSlot);
    const exclusive = (flags[pfn] as number) & EXCLUSIVE;
    flags[pfn]! &= ~EXCLUSIVE;
    vma.mm.anonPages -= 1;
    vma.mm.swapEntries += 1;
    entries[slot] = (swapSlot << SHIFT) | (exclusive ? PTE_EXCLUSIVE : 0);
    this.drop(cpu, folio, pfn, 1);
    return true;
  }

  /** folio_unmap_pte_batch(): PTEs that go together, those with the same write bit (TTU-05). */
  private run(folio: number): number {
    const { walk } = this;
    const { entries } = this.pageTables;
    const nr = pteBatch(this.pageTables, this.folios, folio, walk.slot, walk.room);
    const write = (entries[walk.slot] as number) & PTE_WRITE;
    for (let i = 1; i < nr; i++) {
      if (((entries[walk.slot + i] as number) & PTE_WRITE) !== write) return i;
    }
    return nr;
  }

  /** Empties entries. @returns their bits, or-ed */
  private clear(slot: number, nr: number): number {
    const { entries } = this.pageTables;
    let bits = 0;
    for (let i = slot; i < slot + nr; i++) {
      bits |= entries[i] as number;
      entries[i] = 0;
    }
    return bits;
  }

  /** Map count and references of pages that are unmapped now (TTU-09). */
  private drop(cpu: Cpu, folio: number, pfn: number, nr: number): void {
    this.parts.maps.removePtes(cpu, folio, pfn, nr, this.walk.vma);
    this.folios.refcount[folio]! -= nr;
    this.walk.skip(nr - 1);
  }
}
