import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  type FileMapping,
  type Memory,
  NO_ENTRY,
  PG_DIRTY,
  PG_REFERENCED,
  THP_SPLIT_PMD,
  type Vma,
} from "@lrugen/mm-core";
import type { KernelMemory } from "../charge/kernel-memory.ts";
import type { Filemap } from "../file/filemap.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import { zeroPte } from "../page-table/zero-pte.ts";
import { PAGES_PER_PMD } from "./thp-config.ts";

/** Bits that every PTE inherits from the PMD leaf (PT-16). */
const INHERITED = ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED | ENTRY_DIRTY;

/**
 * Turns a PMD leaf into a table of 512 PTEs. The folio itself stays whole, on the list it is on; it is
 * marked dirty if the leaf was. A leaf of a file is only taken away: faults bring its pages back.
 * Source: PT-16, CNT-04; mm/huge_memory.c:__split_huge_pmd.
 */
export class PmdSplit {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;
  private readonly filemap: Filemap;
  private readonly kernel: KernelMemory;

  constructor(memory: Memory, maps: FolioMaps, filemap: Filemap, kernel: KernelMemory) {
    this.kernel = kernel;
    this.memory = memory;
    this.maps = maps;
    this.filemap = filemap;
  }

  /**
   * Splits the leaf at `pmdSlot`, which covers virtual page `vpn` of the VMA.
   * @param freeze the folio itself is about to be split: its pages are not mapped meanwhile
   */
  split(cpu: Cpu, vma: Vma, pmdSlot: number, vpn: number, freeze = false): void {
    const { memory } = this;
    const { entries } = memory.pageTables;
    const first = vpn - (vpn % PAGES_PER_PMD);
    invalidateStart(vma.mm, first, first + PAGES_PER_PMD);
    const leaf = entries[pmdSlot] as number;
    entries[pmdSlot] = 0;
    if (vma.isAnonymous) this.fillTable(cpu, vma, pmdSlot, leaf, freeze);
    else this.dropFileLeaf(cpu, vma, leaf);
    memory.vmstat.add(THP_SPLIT_PMD, 1);
    invalidateEnd(vma.mm, first, first + PAGES_PER_PMD);
  }

  /**
   * split_huge_pmd_if_needed(): splits the leaf that a VMA boundary at virtual page `at` would cut
   * in two, if there is one.
   */
  splitAt(cpu: Cpu, vma: Vma, at: number): void {
    if (at % PAGES_PER_PMD === 0) return;
    const { pageTables } = this.memory;
    const slot = pageTables.pmdSlot(vma.mm.pgd, at);
    if (slot === NO_ENTRY || ((pageTables.entries[slot] as number) & ENTRY_LEAF) === 0) return;
    this.split(cpu, vma, slot, at);
  }

  /** The table that takes the place of an anonymous leaf. */
  private fillTable(cpu: Cpu, vma: Vma, pmdSlot: number, leaf: number, freeze: boolean): void {
    const { memory } = this;
    const { entries } = memory.pageTables;
    const slot = this.kernel.withdraw(vma.mm, pmdSlot) * PAGES_PER_PMD;
    if (leaf & ENTRY_SPECIAL) {
      entries.fill(zeroPte(memory), slot, slot + PAGES_PER_PMD);
    } else {
      const folio = leaf >>> ENTRY_SHIFT;
      const bits = leaf & INHERITED;
      for (let i = 0; i < PAGES_PER_PMD; i++) {
        entries[slot + i] = ((folio + i) << ENTRY_SHIFT) | bits;
      }
      if (leaf & ENTRY_DIRTY) memory.folios.flags[folio]! |= PG_DIRTY;
      memory.folios.refcount[folio]! += PAGES_PER_PMD - 1;
      this.maps.splitPmd(cpu, folio, vma, freeze);
    }
  }

  /** What a page-cache folio keeps of the leaf that mapped it. */
  private dropFileLeaf(cpu: Cpu, vma: Vma, leaf: number): void {
    const { memory } = this;
    const folio = leaf >>> ENTRY_SHIFT;
    if (leaf & ENTRY_DIRTY) this.filemap.markDirty(memory.fileOf(folio) as FileMapping, folio);
    if (leaf & ENTRY_ACCESSED) memory.folios.flags[folio]! |= PG_REFERENCED;
    vma.mm.filePages -= PAGES_PER_PMD;
    this.maps.removePmd(cpu, folio, vma);
    memory.release.put(cpu, folio);
  }
}
