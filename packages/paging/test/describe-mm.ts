import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_WRITE,
  type Memory,
  type Mm,
  NO_ENTRY,
} from "@lrugen/mm-core";
import { BASE } from "./machine.ts";

const DIRTY_HARDWARE = ENTRY_DIRTY | ENTRY_WRITE;

/** The entry that maps page BASE + `page`, a PMD leaf or a PTE; 0 = none. */
export function entryAt({ pageTables }: Memory, mm: Mm, page: number): number {
  const pmd = pageTables.pmdSlot(mm.pgd, BASE + page);
  const entry = pmd === NO_ENTRY ? 0 : (pageTables.entries[pmd] as number);
  if (entry & ENTRY_LEAF) return entry;
  const pte = pageTables.pteSlot(mm.pgd, BASE + page);
  return pte === NO_ENTRY ? 0 : (pageTables.entries[pte] as number);
}

/** The folio that maps page BASE + `page`; it must be mapped. */
export function folioAt(memory: Memory, mm: Mm, page: number): number {
  const entry = entryAt(memory, mm, page);
  if (entry === 0) throw new Error(`page ${page} is not mapped`);
  const pfn = entry >>> ENTRY_SHIFT;
  return memory.folios.folioOf(pfn);
}

/** The `pte` string of the oracle's dumps: `.` none, s swapped out, o old, y young, capital if hardware-dirty; run-length coded. */
export function pteString(memory: Memory, mm: Mm, count: number): string {
  let text = "";
  let run = 0;
  let last = "";
  for (let page = 0; page <= count; page++) {
    const letter = page === count ? "" : letterOf(entryAt(memory, mm, page));
    if (letter !== last && run > 0) {
      text += `${last}${run}`;
      run = 0;
    }
    last = letter;
    run += 1;
  }
  return text;
}

/** The `pmd` string of the oracle's dumps: per 2 MiB `t` table or `h` leaf, capital if young. */
export function pmdString({ pageTables }: Memory, mm: Mm, pages: number): string {
  let text = "";
  for (let page = 0; page < pages; page += 512) {
    const slot = pageTables.pmdSlot(mm.pgd, BASE + page);
    const entry = slot === NO_ENTRY ? 0 : (pageTables.entries[slot] as number);
    const letter = entry & ENTRY_LEAF ? "h" : "t";
    if (entry === 0) text += ".";
    else text += entry & ENTRY_ACCESSED ? letter.toUpperCase() : letter;
  }
  return text;
}

function letterOf(entry: number): string {
  if (entry === 0) return ".";
  if ((entry & ENTRY_PRESENT) === 0) return "s";
  const letter = entry & ENTRY_ACCESSED ? "y" : "o";
  return (entry & DIRTY_HARDWARE) === DIRTY_HARDWARE ? letter.toUpperCase() : letter;
}
