import { ENTRY_LEAF, ENTRY_SHIFT, type Mm, type PageTables, PTRS_PER_TABLE } from "@lrugen/mm-core";
import { walkPmds } from "../page-table/pmd-walk.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";

/** Virtual pages below one entry of the level. */
const PAGES_PER_PUD: number = PAGES_PER_PMD * PTRS_PER_TABLE;
const PAGES_PER_PGD: number = PAGES_PER_PUD * PTRS_PER_TABLE;

/** The page tables, and how one of an address space is given back. */
export interface TableFree {
  readonly tables: PageTables;
  readonly free: (mm: Mm, table: number) => void;
}

/** The gap between the VMAs before and after an unmapped range: [floor, ceiling), in virtual pages. */
export interface TableGap {
  readonly floor: number;
  readonly ceiling: number;
}

/**
 * Frees the page tables that only [start, end) used: those that lie whole in the gap between the
 * neighbouring VMAs. Everything in that gap is unmapped already.
 * Source: mm/memory.c:free_pgtables, free_pgd_range.
 */
export function freePageTables(
  kernel: TableFree,
  mm: Mm,
  start: number,
  end: number,
  gap: TableGap,
): void {
  const { tables } = kernel;
  walkPmds(tables, mm.pgd, start, end, (slot, from) => {
    const leaf = ((tables.entries[slot] as number) & ENTRY_LEAF) !== 0;
    if (!leaf && lies(gap, from - (from % PAGES_PER_PMD), PAGES_PER_PMD))
      freeBelow(kernel, mm, slot);
  });
  for (let first = start - (start % PAGES_PER_PGD); first < end; first += PAGES_PER_PGD) {
    const pgdSlot = mm.pgd * PTRS_PER_TABLE + first / PAGES_PER_PGD;
    if (tables.entries[pgdSlot] === 0) continue;
    freePmdTables(kernel, mm, (tables.entries[pgdSlot] as number) >>> ENTRY_SHIFT, first, gap);
    if (lies(gap, first, PAGES_PER_PGD)) freeBelow(kernel, mm, pgdSlot);
  }
  mm.forgetTables();
}

/** free_pud_range(): the PMD tables below one PUD table, whose first virtual page is `first`. */
function freePmdTables(
  kernel: TableFree,
  mm: Mm,
  pudTable: number,
  first: number,
  gap: TableGap,
): void {
  const { tables } = kernel;
  for (let i = 0; i < PTRS_PER_TABLE; i++) {
    const slot = pudTable * PTRS_PER_TABLE + i;
    if (tables.entries[slot] === 0) continue;
    if (lies(gap, first + i * PAGES_PER_PUD, PAGES_PER_PUD)) freeBelow(kernel, mm, slot);
  }
}

function lies(gap: TableGap, first: number, pages: number): boolean {
  return first >= gap.floor && first + pages <= gap.ceiling;
}

function freeBelow({ tables, free }: TableFree, mm: Mm, slot: number): void {
  const table = (tables.entries[slot] as number) >>> ENTRY_SHIFT;
  tables.entries[slot] = 0;
  free(mm, table);
}
