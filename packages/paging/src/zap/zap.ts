// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type FileMapping,
  type Memory,
  type Vma,
} from "@lrugen/mm-core";
import type { KernelMemory } from "../charge/kernel-memory.ts";
import type { Filemap } from "../file/filemap.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { walkPmds } from "../page-table/pmd-walk.ts";
import { pteBatch } from "../page-table/pte-batch.ts";
import { slotIn } from "../page-table/slot.ts";
import type { SwapCache } from "../swap/swap-cache.ts";
import type { PmdSplit } from "../thp/split-pmd.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";
import { MmuGather } from "./mmu-gather.ts";

const ACCESSED = ENTRY_ACCESSED;
const DIRTY = ENTRY_DIRTY;
const LEAF = ENTRY_LEAF;
const PRESENT = ENTRY_PRESENT;
const SHIFT = ENTRY_SHIFT;
const SPECIAL = ENTRY_SPECIAL;
const PMD_PAGES = PAGES_PER_PMD;

/**
 * Empties page-table entries and gathers the references they held.
 * Source: REL-03, REL-08; mm/memory.c:unmap_page_range.
 */
export class Zap {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;
  private readonly pmdSplit: PmdSplit;
  private readonly filemap: Filemap;
  private readonly kernel: KernelMemory;
  private readonly swapCache: SwapCache;
  private readonly gather: MmuGather;

  constructor(
    memory: Memory,
    maps: FolioMaps,
    pmdSplit: PmdSplit,
    filemap: Filemap,
    kernel: KernelMemory,
    swapCache: SwapCache,
  ) {
    this.memory = memory;
    this.maps = maps;
    this.pmdSplit = pmdSplit;
    this.filemap = filemap;
    this.swapCache = swapCache;
    this.kernel = kernel;
    this.gather = new MmuGather(memory, swapCache);
  }

  /**
   * Unmaps [start, end) of a VMA. The folios stay referenced until finish().
   * @param reclaimTables free PTE tables that the range covers whole, as MADV_DONTNEED does (REL-08)
   */
  range(cpu: Cpu, vma: Vma, start: number, end: number, reclaimTables: boolean): void {
    const { pageTables } = this.memory;
    const { entries } = pageTables;
    walkPmds(pageTables, vma.mm.pgd, start, end, (pmdSlot, from, to) => {
      const whole = to - from === PMD_PAGES;
      if ((entries[pmdSlot] as number) & LEAF) {
        if (whole) {
          this.zapLeaf(cpu, vma, pmdSlot);
          return;
        }
        this.pmdSplit.split(cpu, vma, pmdSlot, from);
        if (entries[pmdSlot] === 0) return;
      }
      const table = (entries[pmdSlot] as number) >>> SHIFT;
      const first = slotIn(table, from);
      this.zapPtes(cpu, vma, first, first + to - from);
      if (!whole || !reclaimTables) return;
      entries[pmdSlot] = 0;
      this.kernel.freeTable(cpu, vma.mm, table);
    });
  }

  /** Drops the references of everything zapped since the last finish(), in the kernel's batches. */
  finish(cpu: Cpu): void {
    this.gather.flush(cpu);
  }

  /** zap_pte_range(). */
  private zapPtes(cpu: Cpu, vma: Vma, first: number, end: number): void {
    const { folios, pageTables } = this.memory;
    const { entries } = pageTables;
    for (let slot = first; slot < end; slot++) {
      const entry = entries[slot] as number;
      if (entry === 0) continue;
      if (entry & SPECIAL) {
        entries[slot] = 0;
        continue;
      }
      if ((entry & PRESENT) === 0) {
        this.zapSwap(cpu, vma, slot);
        continue;
      }
      const pfn = entry >>> SHIFT;
      const folio = folios.folioOf(pfn);
      const count = pteBatch(pageTables, folios, folio, slot, end - slot);
      let bits = 0;
      for (let i = slot; i < slot + count; i++) {
        bits |= entries[i] as number;
        entries[i] = 0;
      }
      this.uncount(cpu, vma, folio, bits, count);
      this.maps.removePtes(cpu, folio, pfn, count, vma);
      this.gather.add(cpu, folio, count);
      slot += count - 1;
    }
  }

  /** zap_nonpresent_ptes(): what is swapped out is dropped at once (SWP-04). */
  zapSwap(cpu: Cpu, vma: Vma, slot: number): void {
    const { entries } = this.memory.pageTables;
    const entry = entries[slot] as number;
    entries[slot] = 0;
    vma.mm.swapEntries -= 1;
    this.swapCache.putAndReclaim(cpu, entry >>> SHIFT);
  }

  /** zap_huge_pmd(). */
  private zapLeaf(cpu: Cpu, vma: Vma, pmdSlot: number): void {
    const { entries } = this.memory.pageTables;
    const leaf = entries[pmdSlot] as number;
    entries[pmdSlot] = 0;
    this.kernel.freeDeposit(cpu, vma.mm, pmdSlot);
    if (leaf & SPECIAL) return;
    const folio = leaf >>> SHIFT;
    this.uncount(cpu, vma, folio, leaf, PMD_PAGES);
    this.maps.removePmd(cpu, folio, vma);
    this.gather.add(cpu, folio, 1);
  }

  /**
   * `pages` pages of a folio are resident no more. A page-cache folio learns from the entries whether
   * it was written to, and, where the VMA has recency, whether it was accessed (REF-03, REL-08).
   */
  private uncount(cpu: Cpu, vma: Vma, folio: number, bits: number, pages: number): void {
    if ((this.memory.folios.mapping[folio] as number) & 1) {
      vma.mm.anonPages -= pages;
      return;
    }
    if (bits & DIRTY) this.filemap.markDirty(this.memory.fileOf(folio) as FileMapping, folio);
    if (bits & ACCESSED && vma.hasRecency) this.memory.lru.active.markAccessed(cpu, folio);
    vma.mm.filePages -= pages;
  }
}
