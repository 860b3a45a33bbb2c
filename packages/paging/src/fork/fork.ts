import {
  ENTRY_ACCESSED,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  type Memory,
  type Mm,
  Vma,
  VM_LOCKED,
} from "@lrugen/mm-core";
import type { KernelMemory } from "../charge/kernel-memory.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import { walkPmds } from "../page-table/pmd-walk.ts";
import { pteBatch } from "../page-table/pte-batch.ts";
import { slotIn } from "../page-table/slot.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";
import { linkFile } from "../vma/file-vmas.ts";

/**
 * dup_mmap(): a child address space that shares all memory of its parent until one of them writes.
 * Only VMAs with anonymous folios have their page tables copied, the entries of page-cache folios in
 * them too; what else maps files is left to the child's faults. Locks are not inherited.
 * Source: PT-20, PT-21; mm/mmap.c:dup_mmap, mm/memory.c:copy_page_range.
 */
export class Fork {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;
  private readonly kernel: KernelMemory;

  constructor(memory: Memory, maps: FolioMaps, kernel: KernelMemory) {
    this.memory = memory;
    this.maps = maps;
    this.kernel = kernel;
  }

  /** @param child an address space without VMAs */
  dupMmap(parent: Mm, child: Mm): void {
    for (const vma of parent.vmas) {
      const { start, end, flags, file, pgoff } = vma;
      const copy = new Vma(child, start, end, flags & ~VM_LOCKED, file, pgoff);
      child.insertVma(copy);
      linkFile(copy);
      if (vma.anonVma === null) continue;
      this.memory.anonVmas.fork(vma, copy);
      this.copyPageRange(vma, child);
    }
  }

  private copyPageRange(vma: Vma, child: Mm): void {
    const { pageTables } = this.memory;
    const { entries } = pageTables;
    invalidateStart(vma.mm, vma.start, vma.end);
    walkPmds(pageTables, vma.mm.pgd, vma.start, vma.end, (pmdSlot, from, to) => {
      const childPmd = this.kernel.pmdSlotForced(child, from);
      const pmd = entries[pmdSlot] as number;
      if (pmd & ENTRY_LEAF) {
        if (vma.file !== null) return;
        this.copyLeaf(pmdSlot, childPmd, child);
        return;
      }
      const source = slotIn(pmd >>> ENTRY_SHIFT, from);
      const target = slotIn(this.kernel.tableBelowForced(child, childPmd), from);
      this.copyPtes(source, source + to - from, target, child);
    });
    invalidateEnd(vma.mm, vma.start, vma.end);
  }

  /** copy_pte_range(): PTEs of one folio together. */
  private copyPtes(first: number, end: number, target: number, child: Mm): void {
    const { folios, pageTables } = this.memory;
    const { entries } = pageTables;
    for (let slot = first; slot < end; slot++) {
      const entry = entries[slot] as number;
      if (entry === 0) continue;
      let count = 1;
      if ((entry & ENTRY_PRESENT) === 0) {
        this.memory.swap.dup(entry >>> ENTRY_SHIFT);
        child.swapEntries += 1;
      } else if ((entry & ENTRY_SPECIAL) === 0) {
        const pfn = entry >>> ENTRY_SHIFT;
        const folio = folios.folioOf(pfn);
        count = pteBatch(pageTables, folios, folio, slot, end - slot);
        folios.refcount[folio]! += count;
        this.maps.dupPtes(folio, pfn, count, child);
        if ((folios.mapping[folio] as number) & 1) child.anonPages += count;
        else child.filePages += count;
      }
      for (let i = 0; i < count; i++) this.copyEntry(slot + i, target + (slot - first) + i);
      slot += count - 1;
    }
  }

  /** copy_huge_pmd(). */
  private copyLeaf(slot: number, target: number, child: Mm): void {
    const { folios, pageTables } = this.memory;
    const leaf = pageTables.entries[slot] as number;
    if ((leaf & ENTRY_SPECIAL) === 0) {
      const folio = leaf >>> ENTRY_SHIFT;
      folios.refcount[folio]! += 1;
      this.maps.dupPmd(folio, child);
      child.anonPages += PAGES_PER_PMD;
    }
    this.kernel.depositForced(child, target);
    this.copyEntry(slot, target);
  }

  /**
   * Both sides lose the write bit, which on swap entries is the exclusive one;
   * dirty stays as the kernel's view (PT-21), the child's is old (PT-20).
   */
  private copyEntry(slot: number, target: number): void {
    const { entries } = this.memory.pageTables;
    const entry = (entries[slot] as number) & ~ENTRY_WRITE;
    entries[slot] = entry;
    entries[target] = entry & ~ENTRY_ACCESSED;
  }
}
