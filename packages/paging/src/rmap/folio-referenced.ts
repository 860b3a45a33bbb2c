// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_ACCESSED,
  type FolioTable,
  type Memcg,
  type Memory,
  type MultiGenReclaim,
  type PageTables,
  PG_IDLE,
  PG_YOUNG,
  VM_LOCKED,
  VM_SPECIAL,
} from "@lrugen/mm-core";
import { pteBatch } from "../page-table/pte-batch.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";
import { MappedWalk } from "./mapped-walk.ts";

const ACCESSED = ENTRY_ACCESSED;
const IDLE = PG_IDLE;
const YOUNG = PG_YOUNG;
const LOCKED = VM_LOCKED;
const LOCKED_OR_SPECIAL = VM_LOCKED | VM_SPECIAL;
const PMD_PAGES = PAGES_PER_PMD;

/**
 * Who accessed a folio since the last time: its accessed bits are tested and cleared wherever it is
 * mapped.
 *
 * Nobody else holds locks while a model path runs, and address spaces vanish at once, so the walk is
 * never contended.
 *
 * Source: RMAP-05..RMAP-12; mm/rmap.c:folio_referenced.
 */
export class FolioReferenced {
  /** Union of the flags of the VMAs that the last check() counted; VM_LOCKED = it is mlocked now. */
  vmaFlags = 0;
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly pageTables: PageTables;
  private readonly walk: MappedWalk;
  /** Mappings of the folio that the walk has not met yet. */
  private remaining = 0;
  private referenced = 0;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
    this.pageTables = memory.pageTables;
    this.walk = new MappedWalk(memory);
  }

  /**
   * Walks all mappings of an isolated folio.
   * @param target only address spaces of this memcg and below it count, null = all (RMAP-06)
   * @returns VMAs that referenced it
   */
  check(cpu: Cpu, folio: number, target: Memcg | null): number {
    this.vmaFlags = 0;
    this.referenced = 0;
    this.remaining = this.folios.mapcountOf(folio);
    if (this.remaining === 0) return 0;
    const vmas = this.walk.vmasOf(folio);
    for (let i = 0; i < vmas.length; i++) {
      const vma = vmas[i]!;
      if (!vma.hasRecency) continue;
      if (target !== null && !vma.mm.memcg.isWithin(target)) continue;
      if (this.walk.start(folio, vma) && !this.checkVma(cpu, folio)) break;
    }
    return this.referenced;
  }

  /** folio_referenced_one(). @returns false = no other VMA need be asked */
  private checkVma(cpu: Cpu, folio: number): boolean {
    const { walk } = this;
    if (walk.vma.flags & LOCKED) return this.checkLocked(cpu, folio);
    const { flags } = this.folios;
    const pages = this.folios.nrPagesOf(folio);
    let here = 0;
    let seen = 0;
    while (walk.next()) {
      // A run of PTEs of a large folio is tested at once (RMAP-11).
      const nr =
        walk.nr === 0 ? 1 : pteBatch(this.pageTables, this.folios, folio, walk.slot, walk.room);
      if (this.testYoung(cpu, folio, nr)) here += 1;
      seen += nr;
      this.remaining -= nr;
      if (seen === pages) break;
      if (walk.nr !== 0) walk.skip(nr - 1);
    }
    if (here > 0) flags[folio]! &= ~IDLE;
    if ((flags[folio] as number) & YOUNG) {
      flags[folio]! &= ~YOUNG;
      here += 1;
    }
    if (here > 0) {
      this.referenced += 1;
      this.vmaFlags |= walk.vma.flags & ~LOCKED;
    }
    return this.remaining !== 0;
  }

  /** A locked VMA: a folio that it maps whole by one page table should have been mlocked (RMAP-08). */
  private checkLocked(cpu: Cpu, folio: number): boolean {
    const { walk } = this;
    const pages = this.folios.nrPagesOf(folio);
    let seen = 0;
    let leaf = false;
    while (!leaf && walk.next()) {
      leaf = walk.nr === 0;
      seen += 1;
      this.remaining -= 1;
    }
    if (leaf || (seen === pages && !walk.crossedTable)) {
      if ((walk.vma.flags & LOCKED_OR_SPECIAL) === LOCKED) this.memory.batches.mlock(cpu, folio);
      this.vmaFlags |= LOCKED;
      return false;
    }
    return this.remaining !== 0;
  }

  /** Whether the entries found were young anywhere, host or secondary MMU; they are old now (RMAP-10). */
  private testYoung(cpu: Cpu, folio: number, nr: number): boolean {
    const { walk, memory } = this;
    const { entries } = this.pageTables;
    if (walk.nr !== 0 && memory.lru.coreEnabled) {
      walk.nr = nr;
      const young = (memory.lru.mglruReclaim as MultiGenReclaim).lookAround(cpu, folio, walk);
      walk.nr = 1;
      return young;
    }
    let young = 0;
    for (let slot = walk.slot; slot < walk.slot + nr; slot++) {
      young |= (entries[slot] as number) & ACCESSED;
      entries[slot]! &= ~ACCESSED;
    }
    const { notifiers } = walk.mm;
    const end = walk.vpn + (walk.nr === 0 ? PMD_PAGES : nr);
    for (let i = 0; i < notifiers.length; i++) {
      if (notifiers[i]!.clearFlushYoung(walk.vpn, end)) young |= ACCESSED;
    }
    return young !== 0;
  }
}
