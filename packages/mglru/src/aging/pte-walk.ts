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
  /** Folios of young PTEs of the VMA under way, as Promotion.walkUpdateFolios takes them. */
  readonly found: Int32Array = new Int32Array(512);
  nrFound = 0;
  /** PTEs found young in the call under way. */
  private young = 0;
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
      this.clearRange(walk.lruvec as Lruvec, mm, first, last, start);
      this.promotion.walkUpdateFolios(walk, this.found, this.nrFound, executable, newGen);
      if (end % 512 === 0 || !nextVma(cursor, range, 512, 1, walk.swappiness)) break;
    }
    walk.mmStats[LEAF_TOTAL]! += total;
    walk.mmStats[LEAF_YOUNG]! += this.young;
    return suitableToScan(total, this.young);
  }

  /**
   * Makes the young PTEs of slots [first, last) old, whose folios are on the lists of a lruvec; the
   * folios are in `found` afterwards (PTE-05..07).
   * @param vpn virtual page of the first slot
   * @returns PTEs that were young
   */
  findYoung(lruvec: Lruvec, mm: Mm, first: number, last: number, vpn: number): number {
    this.young = 0;
    this.clearRange(lruvec, mm, first, last, vpn);
    return this.young;
  }

  /** Makes `nr` PTEs old, in the address space and in its secondary MMUs. @returns whether any was young */
  testAndClearYoung(mm: Mm, slot: number, vpn: number, nr: number): boolean {
    const young = (this.clearYoung(slot, nr) & ACCESSED) !== 0;
    return (mm.hasNotifiers && notifiersClearYoung(mm, vpn, vpn + nr)) || young;
  }

  /** PTE-04 over slots [first, last) of one VMA. */
  private clearRange(lruvec: Lruvec, mm: Mm, first: number, last: number, vpn: number): void {
    this.nrFound = 0;
    if (mm.hasNotifiers) {
      this.clearNotified(lruvec, mm, first, last, vpn);
      return;
    }
    for (let slot = first; slot < last;) {
      slot = this.clearSmall(lruvec, slot, last);
      if (slot < last) slot = this.clearLarge(lruvec, slot, last);
    }
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
    const folio = this.memory.folios.folioOf((entries[slot] as number) >>> SHIFT);
    if (!this.belongs(folio, lruvec)) return slot + 1;
    const nr = this.batchLength(slot, last, folio);
    this.remember(folio, (this.clearYoung(slot, nr) & DIRTY) === 0 ? 0 : FOUND_DIRTY);
    this.young += nr;
    return slot + nr;
  }

  /**
   * The same where secondary MMUs follow the address space: old PTEs count too, since the folio may
   * be young there (PTE-04, PTE-05).
   */
  private clearNotified(lruvec: Lruvec, mm: Mm, first: number, last: number, vpn: number): void {
    const { entries } = this.memory.pageTables;
    const { folios } = this.memory;
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
      slot += nr;
      if (!notifiersClearYoung(mm, at, at + nr) && (young & ACCESSED) === 0) continue;
      this.young += nr;
      this.remember(folio, (young & DIRTY) === 0 ? 0 : FOUND_DIRTY);
    }
  }

  /** Adds a young folio to `found`; one that was seen just before only gets dirty (PTE-04 step 5). */
  private remember(folio: number, dirty: number): void {
    const { found, nrFound } = this;
    if (nrFound > 0 && (found[nrFound - 1] as number) >> 1 === folio) {
      found[nrFound - 1]! |= dirty;
      return;
    }
    found[nrFound] = (folio << 1) | dirty;
    this.nrFound = nrFound + 1;
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
