import { NO_ENTRY, type PageTables } from "@lrugen/mm-core";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";

/** Virtual pages below one PMD table. */
const PAGES_PER_GIB = 262_144;

/**
 * walk_page_range() to the PMD level: calls `visit` for every PMD entry of [start, end) that is not
 * empty, in ascending order.
 * @param visit gets the slot of the entry and the part [from, to) of the range below it; it may
 *   change the entry
 */
export function walkPmds(
  tables: PageTables,
  pgd: number,
  start: number,
  end: number,
  visit: (slot: number, from: number, to: number) => void,
): void {
  for (let from = start; from < end;) {
    const slot = tables.pmdSlot(pgd, from);
    if (slot === NO_ENTRY) {
      from += PAGES_PER_GIB - (from % PAGES_PER_GIB);
      continue;
    }
    const to = Math.min(end, from + PAGES_PER_PMD - (from % PAGES_PER_PMD));
    if (tables.entries[slot] !== 0) visit(slot, from, to);
    from = to;
  }
}
