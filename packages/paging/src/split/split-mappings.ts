import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_DIRTY,
  type FolioTable,
  type Memory,
  PG_DIRTY,
  PG_MLOCKED,
  VM_LOCKED,
  type Vma,
} from "@lrugen/mm-core";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import { zeroPte } from "../page-table/zero-pte.ts";
import { MappedWalk } from "../rmap/mapped-walk.ts";
import type { PmdSplit } from "../thp/split-pmd.ts";

/**
 * What a split does to the page tables that map an anonymous folio. The kernel unmaps all pages and maps
 * them again as they were; here the entries stay, which nobody can tell from the outside.
 * Source: SPLIT-02, SPLIT-05; mm/huge_memory.c:unmap_folio, remap_page.
 */
export class SplitMappings {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly maps: FolioMaps;
  private readonly pmdSplit: PmdSplit;
  private readonly walk: MappedWalk;

  constructor(memory: Memory, maps: FolioMaps, pmdSplit: PmdSplit) {
    this.memory = memory;
    this.folios = memory.folios;
    this.maps = maps;
    this.pmdSplit = pmdSplit;
    this.walk = new MappedWalk(memory);
  }

  /**
   * unmap_folio(): PMD leaves become PTEs, what any entry knows of writes the folio knows, and each entry
   * of a locked VMA unlocks it. A leaf goes at once, PTEs go one by one: the folio is then partially
   * mapped on the way, and counted as that (FOL-13).
   */
  prepare(cpu: Cpu, folio: number): void {
    const { walk } = this;
    if (this.folios.mapcountOf(folio) === 0) return;
    // PTEs that can go without leaving a part mapped: the only one there is, none after a leaf.
    let alone = 1;
    for (const vma of walk.vmasOf(folio)) {
      if (!walk.start(folio, vma)) continue;
      invalidateStart(vma.mm, walk.first, walk.end);
      while (walk.next()) {
        if (walk.nr === 0) {
          this.pmdSplit.split(cpu, vma, walk.slot, walk.vpn, true);
          alone = 0;
          break; // there is nothing else of the folio in this VMA
        }
        alone -= 1;
        if ((this.memory.pageTables.entries[walk.slot] as number) & ENTRY_DIRTY) {
          this.folios.flags[folio]! |= PG_DIRTY;
        }
        this.maps.munlockVmaFolio(cpu, folio, vma);
      }
      invalidateEnd(vma.mm, walk.first, walk.end);
    }
    if (alone < 0) this.maps.queuePartiallyMapped(folio);
  }

  /**
   * remap_page(): pages of nothing but zeroes are given up for the shared zero page, unless they are
   * locked; what a locked VMA maps is locked again, page by page.
   */
  remap(cpu: Cpu, first: number, pages: number): void {
    const { contents } = this.folios;
    const locked = this.walk.vmasOf(first).some(({ flags }) => (flags & VM_LOCKED) !== 0);
    for (let page = first; page < first + pages; page++) {
      if (locked || contents[page] === 0) this.remapPage(cpu, page);
    }
  }

  /** remove_migration_pte(). */
  private remapPage(cpu: Cpu, page: number): void {
    const { walk, folios } = this;
    if (folios.mapcountOf(page) === 0) return;
    for (const vma of walk.vmasOf(page)) {
      if (!walk.start(page, vma)) continue;
      while (walk.next()) {
        if (vma.flags & VM_LOCKED) {
          this.maps.mlockVmaFolio(cpu, page, vma);
          this.memory.batches.drainMlock(cpu);
        } else if (
          folios.contents[page] === 0 &&
          ((folios.flags[page] as number) & PG_MLOCKED) === 0
        ) {
          this.mapZero(cpu, page, vma);
        }
      }
    }
  }

  /** try_to_map_unused_to_zeropage(). */
  private mapZero(cpu: Cpu, page: number, vma: Vma): void {
    const { walk, memory } = this;
    memory.pageTables.entries[walk.slot] = zeroPte(memory);
    vma.mm.anonPages -= 1;
    this.maps.removePtes(cpu, page, page, 1, vma);
    this.folios.refcount[page]! -= 1;
  }
}
