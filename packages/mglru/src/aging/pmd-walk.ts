import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  LRU_GEN_MASK,
  type Lruvec,
  type Memory,
  type Mm,
  NIL,
  VM_EXEC,
  type Vma,
} from "@lrugen/mm-core";
import { genFromSeq } from "../generation/generation.ts";
import type { LruGenCaps } from "../switch/caps.ts";
import { testBloomFilter, updateBloomFilter } from "./bloom-filter.ts";
import {
  MM_LEAF_TOTAL,
  MM_LEAF_YOUNG,
  MM_NONLEAF_ADDED,
  MM_NONLEAF_FOUND,
  type LruGenMmWalk,
} from "./mm-walk.ts";
import type { Promotion } from "./promotion.ts";
import type { PteWalk } from "./pte-walk.ts";
import { notifiersClearYoung } from "./secondary-young.ts";
import { getNextVma, type VmaCursor, type VmaRange } from "./vma-filter.ts";

const PMD_PAGES = 512;
const PUD_PAGES = 512 * 512;
/** Present and no leaf is what points to a PTE table. */
const MAPPED_TABLE = ENTRY_PRESENT | ENTRY_LEAF;
/** MIN_LRU_BATCH: entries one PMD batch remembers beyond its first (PMD-04). */
const BATCH_SPAN = 64;

/**
 * walk_pmd_range(): the PMD entries of one PUD entry. 2 MiB folios are aged here; PTE tables that
 * look worth it are walked.
 * Source: PMD-01..05; mm/vmscan.c:walk_pmd_range, walk_pmd_range_locked.
 */
export class PmdWalk {
  private readonly memory: Memory;
  private readonly promotion: Promotion;
  private readonly pteWalk: PteWalk;
  private readonly caps: LruGenCaps;
  /** Entries put off: index of the first in its table (−1 = none), then marks of the 64 after it. */
  private batchFirst = -1;
  private readonly batchMarks: Uint8Array = new Uint8Array(BATCH_SPAN + 1);
  /** Virtual page that entry 0 of the table under way maps. */
  private base = 0;
  private readonly range: VmaRange = { start: 0, end: 0 };

  constructor(memory: Memory, promotion: Promotion, pteWalk: PteWalk, caps: LruGenCaps) {
    this.memory = memory;
    this.promotion = promotion;
    this.pteWalk = pteWalk;
    this.caps = caps;
  }

  /**
   * Walks one PMD table from virtual page `from` on, through every VMA it maps.
   * @param table number of the PMD table
   * @param cursor the VMA that [from, to) belongs to; moved on to the last one visited
   */
  walkRange(
    walk: LruGenMmWalk,
    mm: Mm,
    table: number,
    cursor: VmaCursor,
    from: number,
    to: number,
  ): void {
    const { range } = this;
    range.start = from;
    range.end = to;
    const base = Math.floor(from / PUD_PAGES) * PUD_PAGES;
    this.base = base;
    for (;;) {
      const { start, end } = range;
      const vma = cursor.vma as Vma;
      for (let at = start; at < end;) {
        const index = Math.floor((at - base) / PMD_PAGES);
        const next = Math.min(base + (index + 1) * PMD_PAGES, end);
        if (this.visit(walk, vma, table, index)) {
          this.walkTable(walk, mm, table * 512 + index, cursor, at, next);
        }
        at = next;
      }
      if (this.batchFirst >= 0) this.processBatch(walk, vma, table, -1);
      if (!getNextVma(cursor, range, PUD_PAGES, PMD_PAGES, walk.swappiness)) return;
    }
  }

  /**
   * Counts a leaf or absent entry, and puts off what needs the PMD lock (PMD-01 steps 1 to 4).
   * @returns whether the entry points to a PTE table that is worth a walk
   */
  private visit(walk: LruGenMmWalk, vma: Vma, table: number, index: number): boolean {
    const slot = table * 512 + index;
    const pmd = this.memory.pageTables.entries[slot] as number;
    if ((pmd & MAPPED_TABLE) !== ENTRY_PRESENT) {
      walk.mmStats[MM_LEAF_TOTAL]! += 1;
      if (isCandidate(pmd, vma.mm)) this.putOff(walk, vma, table, index);
      return false;
    }
    if (this.clearsNonleaf(walk, vma.mm)) {
      if ((pmd & ENTRY_ACCESSED) === 0) return false;
      this.putOff(walk, vma, table, index);
    }
    return walk.forceScan || testBloomFilter((walk.lruvec as Lruvec).mmState, walk.seq, slot);
  }

  /** PMD-01 step 5. */
  private walkTable(
    walk: LruGenMmWalk,
    mm: Mm,
    slot: number,
    cursor: VmaCursor,
    from: number,
    to: number,
  ): void {
    const table = (this.memory.pageTables.entries[slot] as number) >>> ENTRY_SHIFT;
    walk.mmStats[MM_NONLEAF_FOUND]! += 1;
    if (!this.pteWalk.walkRange(walk, mm, table, cursor, from, to)) return;
    walk.mmStats[MM_NONLEAF_ADDED]! += 1;
    updateBloomFilter((walk.lruvec as Lruvec).mmState, walk.seq + 1, slot);
  }

  /** Young bits of non-leaf entries are read and cleared: no force, hardware sets them, no secondary MMU. */
  private clearsNonleaf(walk: LruGenMmWalk, mm: Mm): boolean {
    return !walk.forceScan && this.caps.nonleafYoung && !mm.hasNotifiers;
  }

  /** Adds an entry to the batch; one too far from its first has the whole batch processed (PMD-04). */
  private putOff(walk: LruGenMmWalk, vma: Vma, table: number, index: number): void {
    if (this.batchFirst < 0) {
      this.batchFirst = index;
      return;
    }
    const distance = index - this.batchFirst;
    if (distance <= BATCH_SPAN) this.batchMarks[distance] = 1;
    else this.processBatch(walk, vma, table, index);
  }

  /** walk_pmd_range_locked(): the far entry (−1 = none), the first, then the marked ones (PMD-04, PMD-05). */
  private processBatch(walk: LruGenMmWalk, vma: Vma, table: number, far: number): void {
    const { batchFirst, batchMarks, promotion } = this;
    const newGen = genFromSeq((walk.lruvec as Lruvec).lrugen.maxSeq);
    const executable = (vma.flags & VM_EXEC) !== 0;
    let last = NIL;
    let dirty = false;
    for (let i = far < 0 ? 0 : -1; i <= BATCH_SPAN; i++) {
      if (i > 0 && batchMarks[i] === 0) continue;
      if (i > 0) batchMarks[i] = 0;
      const slot = table * 512 + (i < 0 ? far : batchFirst + i);
      const folio = this.clearYoung(walk, vma.mm, slot, i < 0 ? far : batchFirst + i);
      if (folio === NIL) continue;
      if (folio !== last) {
        if (last !== NIL) promotion.walkUpdateFolio(walk, last, executable, newGen, dirty);
        last = folio;
        dirty = false;
      }
      if ((this.memory.pageTables.entries[slot] as number) & ENTRY_DIRTY) dirty = true;
      walk.mmStats[MM_LEAF_YOUNG]! += 1;
    }
    if (last !== NIL) promotion.walkUpdateFolio(walk, last, executable, newGen, dirty);
    this.batchFirst = -1;
  }

  /** One entry of PMD-05. @returns the folio of a leaf that was young, else NIL */
  private clearYoung(walk: LruGenMmWalk, mm: Mm, slot: number, index: number): number {
    const { entries } = this.memory.pageTables;
    const { folios } = this.memory;
    const pmd = entries[slot] as number;
    if ((pmd & ENTRY_PRESENT) === 0) return NIL;
    if ((pmd & ENTRY_LEAF) === 0) {
      if (this.clearsNonleaf(walk, mm)) entries[slot] = pmd & ~ENTRY_ACCESSED;
      return NIL;
    }
    if (!isCandidate(pmd, mm)) return NIL;
    const folio = folios.folioOf(pmd >>> ENTRY_SHIFT);
    const lruvec = walk.lruvec as Lruvec;
    if (
      ((folios.flags[folio] as number) & LRU_GEN_MASK) === 0 ||
      folios.memcg[folio] !== lruvec.memcg.index ||
      this.memory.allocator.nodeOf(folio) !== lruvec.node
    ) {
      return NIL;
    }
    entries[slot] = pmd & ~ENTRY_ACCESSED;
    const start = this.base + index * PMD_PAGES;
    const elsewhere = mm.hasNotifiers && notifiersClearYoung(mm, start, start + PMD_PAGES);
    return elsewhere || pmd & ENTRY_ACCESSED ? folio : NIL;
  }
}

/** get_pmd_pfn(): a mapped 2 MiB folio that may be young, in the tables or in a secondary MMU (PMD-03). */
function isCandidate(pmd: number, mm: Mm): boolean {
  if ((pmd & (ENTRY_PRESENT | ENTRY_LEAF | ENTRY_SPECIAL)) !== (ENTRY_PRESENT | ENTRY_LEAF)) {
    return false;
  }
  return (pmd & ENTRY_ACCESSED) !== 0 || mm.hasNotifiers;
}
