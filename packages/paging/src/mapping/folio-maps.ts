// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  type AnonVma,
  type FolioTable,
  type Memory,
  type Mm,
  PG_ANON_EXCLUSIVE,
  PG_PARTIALLY_MAPPED,
  PG_SWAPCACHE,
  type Rmap,
  THP_DEFERRED_SPLIT_PAGE,
  type Vma,
  VM_LOCKED,
  VM_SPECIAL,
} from "@lrugen/mm-core";
import { PMD_ORDER } from "../thp/thp-config.ts";
import { MappedMms } from "./mapped-mms.ts";

const EXCLUSIVE = PG_ANON_EXCLUSIVE;
const LOCKED = VM_LOCKED;
const LOCKED_OR_SPECIAL = VM_LOCKED | VM_SPECIAL;
const PARTIALLY_MAPPED = PG_PARTIALLY_MAPPED;
const SWAPCACHE = PG_SWAPCACHE;
const DEFERRED = THP_DEFERRED_SPLIT_PAGE;
const HUGE_ORDER = PMD_ORDER;

/**
 * Everything that has to happen when a page table begins or ceases to map a folio: the map counts,
 * the address spaces they belong to, and the end of an mlock. References are the caller's.
 * Source: FOL-12, FOL-13; mm/rmap.c.
 */
export class FolioMaps {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly rmap: Rmap;
  private readonly mms: MappedMms;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
    this.rmap = memory.rmap;
    this.mms = new MappedMms(memory.folios);
  }

  /** folio_add_new_anon_rmap(): exclusive, by PTEs or by one PMD, from virtual page `vpn` on (FLT-13). */
  newAnon(folio: number, vma: Vma, vpn: number, pmdMapped: boolean): void {
    this.rmap.addNewAnon(folio, vma, vpn, pmdMapped);
    if (!this.folios.isLarge(folio)) return;
    this.mms.set(folio, vma.mm.id, pmdMapped ? 1 : this.folios.nrPagesOf(folio));
  }

  /**
   * folio_try_dup_anon_rmap_ptes(), folio_dup_file_rmap_ptes(): a child maps `count` pages from `pfn`
   * too; none is exclusive any more (PT-20).
   */
  dupPtes(folio: number, pfn: number, count: number, child: Mm): void {
    const { flags } = this.folios;
    for (let page = pfn; page < pfn + count; page++) flags[page]! &= ~EXCLUSIVE;
    this.rmap.addPtes(folio, pfn, count);
    if (this.folios.isLarge(folio)) this.mms.add(folio, child.id, count);
  }

  /** folio_try_dup_anon_rmap_pmd(): a child maps the folio by a PMD too. */
  dupPmd(folio: number, child: Mm): void {
    this.folios.flags[folio]! &= ~EXCLUSIVE;
    this.rmap.addPmd(folio);
    this.mms.add(folio, child.id, 1);
  }

  /**
   * `count` PTEs of a VMA map the pages of a swapped-in folio from `pfn` on, the first at virtual page
   * `vpn`. One that was not mapped since it was read is anonymous memory of the VMA from now on; any
   * other is mlocked if a locked VMA maps all of it (FLT-42, FLT-44).
   * Source: mm/rmap.c:folio_add_anon_rmap_ptes, folio_add_new_anon_rmap.
   */
  addAnonPtes(
    cpu: Cpu,
    folio: number,
    pfn: number,
    count: number,
    vma: Vma,
    vpn: number,
    exclusive: boolean,
  ): void {
    const { flags, mapping, index } = this.folios;
    const fresh = mapping[folio] === 0;
    if (fresh) {
      mapping[folio] = this.anonVmaFor(vma, exclusive).id * 2 + 1;
      index[folio] = vpn - (pfn - folio);
    }
    this.rmap.addPtes(folio, pfn, count);
    this.addMappings(folio, vma.mm, count);
    if (exclusive) for (let page = pfn; page < pfn + count; page++) flags[page]! |= EXCLUSIVE;
    if (!fresh && count === this.folios.nrPagesOf(folio)) this.mlockVmaFolio(cpu, folio, vma);
  }

  /**
   * folio_add_file_rmap_ptes(): `count` PTEs of a VMA map the pages of a page-cache folio from `pfn`
   * on. A folio mapped whole into a locked VMA is mlocked.
   */
  addFilePtes(cpu: Cpu, folio: number, pfn: number, count: number, vma: Vma): void {
    this.rmap.addPtes(folio, pfn, count);
    this.addMappings(folio, vma.mm, count);
    if (count === this.folios.nrPagesOf(folio)) this.mlockVmaFolio(cpu, folio, vma);
  }

  /** folio_add_file_rmap_pmd(). */
  addFilePmd(cpu: Cpu, folio: number, vma: Vma): void {
    this.rmap.addPmd(folio);
    this.addMappings(folio, vma.mm, 1);
    this.mlockVmaFolio(cpu, folio, vma);
  }

  /** folio_remove_rmap_ptes(): `count` PTEs of a VMA that mapped the pages from `pfn` are gone. */
  removePtes(cpu: Cpu, folio: number, pfn: number, count: number, vma: Vma): void {
    if (this.folios.isLarge(folio)) {
      const before = this.mappedPages(folio);
      this.rmap.removePtes(folio, pfn, count);
      this.mms.remove(folio, vma.mm.id, count);
      this.deferSplit(folio, before);
    } else {
      this.rmap.removePtes(folio, pfn, count);
    }
    this.munlockVmaFolio(cpu, folio, vma);
  }

  /** folio_remove_rmap_pmd(). */
  removePmd(cpu: Cpu, folio: number, vma: Vma): void {
    const before = this.mappedPages(folio);
    this.rmap.removePmd(folio);
    this.mms.remove(folio, vma.mm.id, 1);
    this.deferSplit(folio, before);
    this.munlockVmaFolio(cpu, folio, vma);
  }

  /**
   * The PMD of a VMA that mapped the folio becomes PTEs: one mapping less, one a page more (PT-16). In a
   * locked VMA the PTEs lock it once more before the PMD unlocks it.
   * @param freeze the PTEs do not map it yet, as it is about to be split itself
   */
  splitPmd(cpu: Cpu, folio: number, vma: Vma, freeze: boolean): void {
    this.rmap.splitPmd(folio);
    this.mms.add(folio, vma.mm.id, this.folios.nrPagesOf(folio) - 1);
    if (!freeze) this.mlockVmaFolio(cpu, folio, vma);
    this.munlockVmaFolio(cpu, folio, vma);
  }

  /**
   * folio_maybe_mapped_shared(): more than one address space may map it. A folio mapped once is not
   * shared, also where the slots of a large one still say so.
   */
  maybeShared(folio: number): boolean {
    if (this.folios.mapcountOf(folio) <= 1) return false;
    return !this.folios.isLarge(folio) || this.mms.maybeShared(folio);
  }

  /** folio_move_anon_rmap(): the only address space that maps it owns it from now on (FLT-52). */
  moveToVma(folio: number, vma: Vma): void {
    this.folios.mapping[folio] = this.memory.anonVmas.prepare(vma).id * 2 + 1;
  }

  /**
   * __folio_set_anon(): the VMA's own anon_vma for a folio that it has alone. Others may still swap the
   * same folio in, so rmap has to know any other by the oldest one that all of them are linked to.
   */
  private anonVmaFor(vma: Vma, exclusive: boolean): AnonVma {
    const own = this.memory.anonVmas.prepare(vma);
    if (exclusive) return own;
    let root = own;
    for (const anon of vma.anonVmaChain) if (anon.id < root.id) root = anon;
    return root;
  }

  /** mlock_vma_folio(): a folio that a VMA maps is locked if the VMA is. Special VMAs never are. */
  mlockVmaFolio(cpu: Cpu, folio: number, vma: Vma): void {
    if ((vma.flags & LOCKED_OR_SPECIAL) === LOCKED) this.memory.batches.mlock(cpu, folio);
  }

  /** munlock_vma_folio(): any unmapping from a locked VMA ends the lock; reclaim corrects what it got wrong. */
  munlockVmaFolio(cpu: Cpu, folio: number, vma: Vma): void {
    if (vma.flags & LOCKED) this.memory.batches.munlock(cpu, folio);
  }

  /** Pages of a large folio that any page table maps. */
  private mappedPages(folio: number): number {
    const { folios } = this;
    return folios.entireMapcountOf(folio) > 0
      ? folios.nrPagesOf(folio)
      : folios.nrPagesMappedOf(folio);
  }

  /**
   * An anonymous folio that lost the last mapping of some pages and has others left is queued to be
   * split when memory is short (FOL-13).
   * @param before pages mapped before the removal at hand
   */
  private deferSplit(folio: number, before: number): void {
    const after = this.mappedPages(folio);
    if (after === before || after === 0) return;
    this.queuePartiallyMapped(folio);
  }

  /** deferred_split_folio() of a folio of which only a part is mapped; in the swap cache it does nothing. */
  queuePartiallyMapped(folio: number): void {
    const { flags, order, mapping } = this.folios;
    if ((order[folio] as number) < 2 || (flags[folio] as number) & SWAPCACHE) return;
    if (((mapping[folio] as number) & 1) === 0) return;
    if ((flags[folio + 1] as number) & PARTIALLY_MAPPED) return;
    flags[folio + 1]! |= PARTIALLY_MAPPED;
    this.memory.deferredSplit.add(folio, this.memory.allocator.nodeOf(folio));
    if (order[folio] === HUGE_ORDER) this.memory.vmstat.add(DEFERRED, 1);
  }

  /** Mappings of a page-cache or swapped-in folio, which nothing may have mapped before. */
  private addMappings(folio: number, mm: Mm, count: number): void {
    if (!this.folios.isLarge(folio)) return;
    if (this.folios.mapcountOf(folio) === count) this.mms.set(folio, mm.id, count);
    else this.mms.add(folio, mm.id, count);
  }
}
