// @hot
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  LRU_GEN_MASK,
  type Lruvec,
  type Memory,
  type Mm,
  NIL,
  PG_HEAD,
  PG_TAIL,
  VM_EXEC,
  type Vma,
} from "@lrugen/mm-core";
import { genFromSeq } from "../generation/generation.ts";
import { MM_LEAF_TOTAL, MM_LEAF_YOUNG, type LruGenMmWalk } from "./mm-walk.ts";
import { DIRTY_FOUND, type Promotion } from "./promotion.ts";
import { notifiersClearYoung } from "./secondary-young.ts";
import { getNextVma, type VmaCursor, type VmaRange } from "./vma-filter.ts";

const PRESENT = ENTRY_PRESENT;
const ACCESSED = ENTRY_ACCESSED;
const DIRTY = ENTRY_DIRTY;
const SHIFT = ENTRY_SHIFT;
const MAPPED = ENTRY_PRESENT | ENTRY_SPECIAL;
const YOUNG = ENTRY_PRESENT | ENTRY_SPECIAL | ENTRY_ACCESSED;
const YOUNG_MAPPED = ENTRY_PRESENT | ENTRY_ACCESSED;
const GEN_MASK = LRU_GEN_MASK;
const LARGE = PG_HEAD | PG_TAIL;
const NONE = NIL;
const EXEC = VM_EXEC;
const LEAF_TOTAL = MM_LEAF_TOTAL;
const LEAF_YOUNG = MM_LEAF_YOUNG;
/** Bits in which the PTEs of one batch may differ (PTE-07). */
const BATCH_IGNORES = ENTRY_ACCESSED | ENTRY_DIRTY | ENTRY_WRITE;
const FOUND_DIRTY = DIRTY_FOUND;
const nextVma = getNextVma;
const genOf = genFromSeq;

/** PTE-08: PTEs per 64-byte cache line. */
const PTES_PER_LINE = 8;

/** suitable_to_scan(): enough of a table was young to scan it again next time (PTE-08). */
export function suitableToScan(total: number, young: number): boolean {
  return young * PTES_PER_LINE >= total;
}

/**
 * walk_pte_range(): the young PTEs of one table become old, their folios are promoted.
 * Source: PTE-01..09; mm/vmscan.c.
 */
export class PteWalk {
  private readonly memory: Memory;
  private readonly promotion: Promotion;
  /** PTEs found young in the call under way. */
  private young = 0;
  /** Folios of young PTEs of the VMA under way, as Promotion.walkUpdateFolios takes them. */
  private readonly found: Int32Array = new Int32Array(512);
  private nrFound = 0;
  private readonly range: VmaRange = { start: 0, end: 0 };

  constructor(memory: Memory, promotion: Promotion) {
    this.memory = memory;
    this.promotion = promotion;
  }

  /**
   * Walks one PTE table from virtual page `from` on, through every VMA it maps.
   * @param table number of the PTE table
   * @param cursor the VMA that [from, to) belongs to; moved on to the last one visited
   * @returns whether the table is worth a walk next time
   */
  walkRange(
    walk: LruGenMmWalk,
    mm: Mm,
    table: number,
    cursor: VmaCursor,
    from: number,
    to: number,
  ): boolean {
    const { range } = this;
    range.start = from;
    range.end = to;
    const newGen = genOf((walk.lruvec as Lruvec).lrugen.maxSeq);
    let total = 0;
    this.young = 0;
    for (;;) {
      const { start, end } = range;
      const executable = ((cursor.vma as Vma).flags & EXEC) !== 0;
      // Virtual page numbers may be doubles; slots must not become any.
      const nr = (end - start) | 0;
      const first = table * 512 + ((start % 512) | 0);
      const last = first + nr;
      total += nr;
      if (mm.hasNotifiers) this.walkNotified(walk, mm, first, last, start, executable, newGen);
      else this.walkVma(walk, first, last, executable, newGen);
      if (end % 512 === 0 || !nextVma(cursor, range, 512, 1, walk.swappiness)) break;
    }
    walk.mmStats[LEAF_TOTAL]! += total;
    walk.mmStats[LEAF_YOUNG]! += this.young;
    return suitableToScan(total, this.young);
  }

  /** PTE-04 over slots [first, last) of one VMA without secondary MMUs. */
  private walkVma(
    walk: LruGenMmWalk,
    first: number,
    last: number,
    executable: boolean,
    newGen: number,
  ): void {
    const lruvec = walk.lruvec as Lruvec;
    this.nrFound = 0;
    for (let slot = first; slot < last;) {
      slot = this.clearSmall(lruvec, slot, last);
      if (slot < last) slot = this.clearLarge(lruvec, slot, last);
    }
    this.promotion.walkUpdateFolios(walk, this.found, this.nrFound, executable, newGen);
  }

  /**
   * Makes young PTEs old, from `first` up to one that maps a large folio; their folios wait in
   * `found`. Without calls and inner loops, since nearly all young PTEs of most programs are its
   * business.
   * @returns the slot of that PTE, or `last`
   */
  private clearSmall(lruvec: Lruvec, first: number, last: number): number {
    const { entries } = this.memory.pageTables;
    const { flags, memcg } = this.memory.folios;
    const { allocator } = this.memory;
    const { found } = this;
    const memcgIndex = lruvec.memcg.index;
    const oneNode = this.memory.nrNodes === 1;
    let count = this.nrFound;
    let young = 0;
    let previous = count > 0 ? (found[count - 1] as number) >> 1 : NONE;
    let slot = first;
    for (; slot < last; slot++) {
      const pte = entries[slot] as number;
      if ((pte & YOUNG) !== YOUNG_MAPPED) continue;
      const folio = pte >>> SHIFT;
      const word = flags[folio] as number;
      if ((word & LARGE) !== 0) break;
      // get_pfn_folio() (PTE-06): off the lists, other node, other memcg: young bits stay.
      if ((word & GEN_MASK) === 0 || memcg[folio] !== memcgIndex) continue;
      if (!oneNode && allocator.nodeOf(folio) !== lruvec.node) continue;
      entries[slot] = pte & ~ACCESSED;
      young += 1;
      const dirty = (pte & DIRTY) === 0 ? 0 : FOUND_DIRTY;
      if (folio === previous) {
        found[count - 1]! |= dirty;
        continue;
      }
      previous = folio;
      found[count] = (folio << 1) | dirty;
      count += 1;
    }
    this.nrFound = count;
    this.young += young;
    return slot;
  }

  /** The same for the PTEs of one large folio, together (PTE-07). @returns the slot after them */
  private clearLarge(lruvec: Lruvec, slot: number, last: number): number {
    const { entries } = this.memory.pageTables;
    const { found } = this;
    const folio = this.memory.folios.folioOf((entries[slot] as number) >>> SHIFT);
    if (!this.belongs(folio, lruvec)) return slot + 1;
    const nr = this.batchLength(slot, last, folio);
    const dirty = (this.clearYoung(slot, nr) & DIRTY) === 0 ? 0 : FOUND_DIRTY;
    this.young += nr;
    const { nrFound } = this;
    if (nrFound > 0 && (found[nrFound - 1] as number) >> 1 === folio) {
      found[nrFound - 1]! |= dirty;
    } else {
      found[nrFound] = (folio << 1) | dirty;
      this.nrFound = nrFound + 1;
    }
    return slot + nr;
  }

  /**
   * The same where secondary MMUs follow the address space: old PTEs count too, since the folio may
   * be young there (PTE-04, PTE-05).
   */
  private walkNotified(
    walk: LruGenMmWalk,
    mm: Mm,
    first: number,
    last: number,
    vpn: number,
    executable: boolean,
    newGen: number,
  ): void {
    const { entries } = this.memory.pageTables;
    const { folios } = this.memory;
    const lruvec = walk.lruvec as Lruvec;
    let pending = NONE;
    let dirty = false;
    for (let slot = first; slot < last;) {
      const pte = entries[slot] as number;
      const folio = (pte & MAPPED) === PRESENT ? folios.folioOf(pte >>> SHIFT) : NONE;
      if (folio === NONE || !this.belongs(folio, lruvec)) {
        slot += 1;
        continue;
      }
      const nr = folios.isLarge(folio) ? this.batchLength(slot, last, folio) : 1;
      const at = vpn + (slot - first);
      const young = this.clearYoung(slot, nr);
      if (!notifiersClearYoung(mm, at, at + nr) && (young & ACCESSED) === 0) {
        slot += nr;
        continue;
      }
      if (folio !== pending) {
        if (pending !== NONE) {
          this.promotion.walkUpdateFolio(walk, pending, executable, newGen, dirty);
        }
        pending = folio;
        dirty = false;
      }
      if (young & DIRTY) dirty = true;
      this.young += nr;
      slot += nr;
    }
    if (pending !== NONE) this.promotion.walkUpdateFolio(walk, pending, executable, newGen, dirty);
  }

  /** get_pfn_folio(): the folio is on a multi-gen list of this lruvec (PTE-06). */
  private belongs(folio: number, lruvec: Lruvec): boolean {
    const { flags, memcg } = this.memory.folios;
    return (
      ((flags[folio] as number) & GEN_MASK) !== 0 &&
      memcg[folio] === lruvec.memcg.index &&
      (this.memory.nrNodes === 1 || this.memory.allocator.nodeOf(folio) === lruvec.node)
    );
  }

  /** folio_pte_batch(): PTEs from `slot` that map consecutive pages of a large folio alike (PTE-07). */
  private batchLength(slot: number, last: number, folio: number): number {
    const { entries } = this.memory.pageTables;
    const first = (entries[slot] as number) & ~BATCH_IGNORES;
    const left = folio + this.memory.folios.nrPagesOf(folio) - (first >>> SHIFT);
    const max = Math.min(left, last - slot);
    let nr = 1;
    while (
      nr < max &&
      ((entries[slot + nr] as number) & ~BATCH_IGNORES) === first + (nr << SHIFT)
    ) {
      nr += 1;
    }
    return nr;
  }

  /** Clears the accessed bits of `nr` PTEs; the OR of what they were. */
  private clearYoung(slot: number, nr: number): number {
    const { entries } = this.memory.pageTables;
    let were = 0;
    for (let i = slot; i < slot + nr; i++) {
      were |= entries[i] as number;
      entries[i] = (entries[i] as number) & ~ACCESSED;
    }
    return were;
  }
}
