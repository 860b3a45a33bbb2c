import { type Lruvec, type Memory, type Mm, type Vma } from "@lrugen/mm-core";
import type { Cpu } from "@lrugen/hardware";
import type { LruGenMmWalk } from "./mm-walk.ts";
import type { PmdWalk } from "./pmd-walk.ts";
import type { Promotion } from "./promotion.ts";
import { getNextVma, shouldSkipVma, type VmaCursor, type VmaRange } from "./vma-filter.ts";

const PUD_PAGES = 512 * 512;
const P4D_PAGES = 512 * PUD_PAGES;
/** CONST-07: folios of one walk slice. */
const MAX_LRU_BATCH = 4096;
/** Nothing left to walk in this address space. */
const DONE = -1;

/**
 * walk_mm(): one address space, slice by slice; after each slice the sizes of what was promoted are
 * accounted under lru_lock.
 * Source: WALK-01..06; mm/vmscan.c:walk_mm, walk_pud_range.
 */
export class PageTableWalk {
  private readonly memory: Memory;
  private readonly promotion: Promotion;
  private readonly pmdWalk: PmdWalk;
  private readonly cursor: VmaCursor = { vma: null };
  private readonly range: VmaRange = { start: 0, end: 0 };

  constructor(memory: Memory, promotion: Promotion, pmdWalk: PmdWalk) {
    this.memory = memory;
    this.promotion = promotion;
    this.pmdWalk = pmdWalk;
  }

  /** Walks an address space for `walk.seq`. */
  walkMm(cpu: Cpu, walk: LruGenMmWalk, mm: Mm): void {
    const lruvec = walk.lruvec as Lruvec;
    walk.nextVpn = 0;
    while (walk.seq === lruvec.lrugen.maxSeq && walk.nextVpn !== DONE) {
      this.walkSlice(walk, mm);
      if (walk.batched === 0) continue;
      cpu.acquire(lruvec.lock);
      this.promotion.resetBatchSize(walk);
      cpu.release(lruvec.lock);
    }
  }

  /** Goes to the first walkable VMA from `walk.nextVpn` on and walks until a slice ends (WALK-05, WALK-06). */
  private walkSlice(walk: LruGenMmWalk, mm: Mm): void {
    const { cursor } = this;
    let vma: Vma | null = mm.firstVmaEndingAfter(walk.nextVpn);
    while (vma !== null && shouldSkipVma(vma, walk.swappiness)) {
      vma = mm.firstVmaEndingAfter(vma.end);
    }
    cursor.vma = vma;
    walk.nextVpn = vma === null ? DONE : this.walkP4d(walk, mm, Math.max(walk.nextVpn, vma.start));
  }

  /**
   * walk_pud_range(): the PUD entries below one P4D entry, from virtual page `from` on.
   * @returns the virtual page to go on from, DONE when the VMAs ran out
   */
  private walkP4d(walk: LruGenMmWalk, mm: Mm, from: number): number {
    const { cursor, range } = this;
    const limit = (Math.floor(from / P4D_PAGES) + 1) * P4D_PAGES;
    range.start = from;
    range.end = Math.min(limit, (cursor.vma as Vma).end);
    do {
      const { start, end } = range;
      for (let at = start; at < end;) {
        const gib = Math.floor(at / PUD_PAGES);
        const next = Math.min((gib + 1) * PUD_PAGES, end);
        const table = this.memory.pageTables.pmdTable(mm.pgd, gib);
        if (table !== 0) {
          this.pmdWalk.walkRange(walk, mm, table, cursor, at, next);
          if (walk.batched >= MAX_LRU_BATCH) return this.resume((gib + 1) * PUD_PAGES);
        }
        at = next;
      }
    } while (getNextVma(cursor, range, P4D_PAGES, PUD_PAGES, walk.swappiness));
    return this.resume(limit);
  }

  /** WALK-06: where the next slice begins, not before the current VMA. */
  private resume(vpn: number): number {
    const { vma } = this.cursor;
    return vma === null ? DONE : Math.max(vpn, vma.start);
  }
}
