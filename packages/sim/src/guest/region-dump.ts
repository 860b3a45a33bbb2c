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
  PG_LRU,
  PG_RESERVED,
  PTRS_PER_TABLE,
} from "@lrugen/mm-core";
import { DUMPED_PAGES_MAX, DUMPED_PMDS_MAX } from "../dump/dump-limits.ts";
import type { DumpRegion } from "../dump/oracle-result.ts";
import { RunLengthEncoder } from "../dump/run-length.ts";
import type { Region } from "./guest.ts";

/** The page tables of one address space over one region, as the oracle prints them. */
export function dumpRegion(memory: Memory, mm: Mm, region: Region): DumpRegion {
  const { entries } = memory.pageTables;
  const pte = new RunLengthEncoder();
  const lru = new RunLengthEncoder();
  let pmd = "";
  const pages = Math.min(region.pages, DUMPED_PAGES_MAX);
  for (let first = 0; first < pages; first += PTRS_PER_TABLE) {
    const slot = memory.pageTables.pmdSlot(mm.pgd, region.start + first);
    const entry = slot === NO_ENTRY ? 0 : (entries[slot] as number);
    if (pmd.length < DUMPED_PMDS_MAX) pmd += pmdLetter(entry);
    const end = Math.min(first + PTRS_PER_TABLE, pages);
    for (let page = first; page < end; page++) {
      const mapped = pageEntry(memory, entry, page - first);
      pte.push(pteLetter(mapped));
      lru.push(lruLetter(memory, mapped));
    }
  }
  return { pte: pte.finish(), lru: lru.finish(), pmd };
}

/** The PTE of one page below a PMD entry, or what a 2 MiB leaf says of it. */
function pageEntry(memory: Memory, pmd: number, index: number): number {
  if ((pmd & ENTRY_PRESENT) === 0) return pmd;
  if (pmd & ENTRY_LEAF) return pmd + (index << ENTRY_SHIFT);
  return memory.pageTables.entries[(pmd >>> ENTRY_SHIFT) * PTRS_PER_TABLE + index] as number;
}

/** `T` table, `H` leaf, small when old, `s` swap, `.` none. */
function pmdLetter(entry: number): string {
  if (entry === 0) return ".";
  if ((entry & ENTRY_PRESENT) === 0) return "s";
  const young = (entry & ENTRY_ACCESSED) !== 0;
  if (entry & ENTRY_LEAF) return young ? "H" : "h";
  return young ? "T" : "t";
}

/** Young or old, dirty in hardware or clean: the hardware bit needs a writable entry (PT-21). */
function pteLetter(entry: number): string {
  if (entry === 0) return ".";
  if ((entry & ENTRY_PRESENT) === 0) return "s";
  const dirty = (entry & ENTRY_DIRTY) !== 0 && (entry & ENTRY_WRITE) !== 0;
  if (entry & ENTRY_ACCESSED) return dirty ? "Y" : "y";
  return dirty ? "O" : "o";
}

function lruLetter(memory: Memory, entry: number): string {
  if ((entry & ENTRY_PRESENT) === 0) return ".";
  const flags = memory.folios.flags[memory.folios.folioOf(entry >>> ENTRY_SHIFT)] as number;
  if (flags & PG_RESERVED) return "Z";
  return flags & PG_LRU ? "L" : "b";
}
