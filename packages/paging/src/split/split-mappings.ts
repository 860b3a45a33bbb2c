import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_DIRTY,
  type FolioTable,
  type Memory,
  PG_DIRTY,
  PG_MLOCKED,
  VM_LOCKED,
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

  /** unmap_folio(): PMD leaves become PTEs, what any PTE knows of writes the folio knows. */
  prepare(cpu: Cpu, folio: number): void {
    const { walk } = this;
    if (this.folios.mapcountOf(folio) === 0) return;
    for (const vma of walk.vmasOf(folio)) {
      if (!walk.start(folio, vma)) continue;
      invalidateStart(vma.mm, walk.first, walk.end);
      while (walk.next()) {
        if (walk.nr === 0) {
          this.pmdSplit.split(cpu, vma, walk.slot, walk.vpn);
          walk.restart();
        } else if ((this.memory.pageTables.entries[walk.slot] as number) & ENTRY_DIRTY) {
          this.folios.flags[folio]! |= PG_DIRTY;
        }
      }
      invalidateEnd(vma.mm, walk.first, walk.end);
    }
  }

  /**
   * try_to_map_unused_to_zeropage(): pages of nothing but zeroes are given up for the shared zero page,
   * unless they are locked.
   */
  remap(cpu: Cpu, first: number, pages: number): void {
    const { contents, flags } = this.folios;
    for (let page = first; page < first + pages; page++) {
      if (contents[page] === 0 && ((flags[page] as number) & PG_MLOCKED) === 0)
        this.mapZero(cpu, page);
    }
  }

  private mapZero(cpu: Cpu, page: number): void {
    const { walk, memory } = this;
    if (this.folios.mapcountOf(page) === 0) return;
    for (const vma of walk.vmasOf(page)) {
      if (vma.flags & VM_LOCKED || !walk.start(page, vma)) continue;
      while (walk.next()) {
        memory.pageTables.entries[walk.slot] = zeroPte(memory);
        vma.mm.anonPages -= 1;
        this.maps.removePtes(cpu, page, page, 1, vma);
        this.folios.refcount[page]! -= 1;
      }
    }
  }
}
