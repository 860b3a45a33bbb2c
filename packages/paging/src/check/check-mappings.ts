import {
  type Memory,
  type Mm,
  PG_ANON_EXCLUSIVE,
  PG_BUDDY,
  PG_LRU,
  PG_RESERVED,
} from "@lrugen/mm-core";
import { MappedMms } from "../mapping/mapped-mms.ts";
import { checkFileFolios } from "./check-file-folios.ts";
import { checkFileVmas, checkPageCache } from "./check-page-cache.ts";
import { checkSwap, swapCachePages } from "./check-swap.ts";
import { type FolioMappings, Recount } from "./recount.ts";

const NONE: FolioMappings = { total: 0, pmds: 0, vmas: new Set(), mms: new Set() };

/**
 * Whether page tables, map counts, reference counts, rmap, resident counts, VMAs, page cache and the
 * counters of memory.stat agree. Holds between any two operations.
 *
 * Rules: FOL-12, FLT-12, FLT-23, INV-09, INV-10, INV-22..INV-24, PGC-01, PT-02, PT-15, RMAP-01.
 *
 * @param mms every address space of the machine; what another one maps would look unmapped
 * @param extraReferences references of a folio that neither page tables nor page cache hold: batch
 *   slots, isolation. With
 *   it, reference counts must be exact; without, they must be no smaller than the mappings
 * @returns one line for each violation: rule, where, what was found and expected
 */
export function checkMappings(
  memory: Memory,
  mms: readonly Mm[],
  extraReferences?: (folio: number) => number,
): string[] {
  const violations: string[] = [];
  const recount = new Recount(memory, violations);
  for (const mm of mms) {
    checkVmas(memory, mm, violations);
    const resident = recount.count(mm);
    for (const [what, found, expected] of [
      ["anonPages", mm.anonPages, resident.anon],
      ["filePages", mm.filePages, resident.file],
      ["swapEntries", mm.swapEntries, resident.swap],
    ] as const) {
      if (found !== expected) {
        violations.push(`mm ${mm.id}: ${what} is ${found}, expected ${expected}`);
      }
    }
  }
  if (recount.tables !== memory.pageTables.nrTables) {
    const { nrTables } = memory.pageTables;
    violations.push(`${nrTables} page tables in use, expected ${recount.tables}`);
  }
  checkFolios(memory, recount, violations, extraReferences);
  checkSwap(memory, recount.swapEntries, violations);
  checkFileVmas(memory, mms, violations);
  checkPageCache(memory, violations);
  checkFileFolios(memory, violations);
  return violations;
}

/** VMAs ascend, do not overlap, and their cached page table is the right one. */
function checkVmas(memory: Memory, mm: Mm, violations: string[]): void {
  let end = 0;
  for (const vma of mm.vmas) {
    const name = `mm ${mm.id}: VMA [${vma.start}, ${vma.end})`;
    if (vma.mm !== mm) violations.push(`${name} belongs to mm ${vma.mm.id}`);
    if (vma.start < end) violations.push(`${name} begins before ${end}, where the last one ends`);
    if (vma.end <= vma.start) violations.push(`${name} is empty`);
    if (vma.anonVma !== null && !vma.anonVmaChain.includes(vma.anonVma)) {
      violations.push(`RMAP-01: ${name} is not linked to its own anon_vma`);
    }
    end = vma.end;
  }
  if (mm.lastGib < 0) return;
  const table = memory.pageTables.pmdTable(mm.pgd, mm.lastGib);
  if (table !== mm.lastPmdTable) {
    violations.push(`mm ${mm.id}: cached PMD table is ${mm.lastPmdTable}, expected ${table}`);
  }
}

function checkFolios(
  memory: Memory,
  recount: Recount,
  violations: string[],
  extraReferences: ((folio: number) => number) | undefined,
): void {
  const { folios } = memory;
  for (let pfn = 0; pfn < folios.nrPages;) {
    const word = folios.flags[pfn] as number;
    const counts = recount.folios.get(pfn) ?? NONE;
    if (word & PG_BUDDY) {
      if (counts !== NONE) violations.push(`INV-10: free frame ${pfn} is mapped`);
      pfn += 1 << (folios.order[pfn] as number);
      continue;
    }
    if ((word & PG_RESERVED) === 0) {
      const lines = [
        ...countLines(memory, pfn, counts, recount),
        ...rmapLines(memory, pfn, counts),
      ];
      lines.push(...referenceLines(memory, pfn, counts, extraReferences));
      for (const line of lines) violations.push(`${line} (folio ${pfn})`);
    }
    pfn += folios.nrPagesOf(pfn);
  }
}

/** FOL-12: the counts that rmap keeps. */
function countLines(
  memory: Memory,
  folio: number,
  counts: FolioMappings,
  recount: Recount,
): string[] {
  const { folios } = memory;
  const lines: string[] = [];
  const compare = (what: string, found: number, expected: number): void => {
    if (found !== expected) lines.push(`FOL-12: ${what} is ${found}, expected ${expected}`);
  };
  const pages = folios.nrPagesOf(folio);
  let mapped = 0;
  for (let page = folio; page < folio + pages; page++) {
    const expected = recount.ptes[page] as number;
    compare(`mapcount of page ${page}`, folios.mapcount[page] as number, expected);
    if (expected > 0) mapped += 1;
  }
  compare("mapcount", folios.mapcountOf(folio), counts.total);
  if (pages === 1) return lines;
  compare("entire mapcount", folios.entireMapcountOf(folio), counts.pmds);
  compare("pages mapped by PTEs", folios.nrPagesMappedOf(folio), mapped);
  if (counts.mms.size > 1 && !new MappedMms(folios).maybeShared(folio)) {
    lines.push(`FOL-12: not marked as shared, but ${counts.mms.size} address spaces map it`);
  }
  return lines;
}

/** RMAP-01 and INV-22: rmap finds every VMA that maps it, and exclusive pages have one. */
function rmapLines(memory: Memory, folio: number, counts: FolioMappings): string[] {
  const { folios, rmap } = memory;
  const lines: string[] = [];
  const anon = ((folios.mapping[folio] as number) & 1) !== 0;
  const vmas = anon ? rmap.anonVmasOf(folio) : (memory.fileOf(folio)?.vmas ?? []);
  const found = new Set(counts.total > 0 ? vmas : []);
  for (const vma of counts.vmas) {
    if (found.has(vma)) continue;
    lines.push(`RMAP-01: rmap misses VMA [${vma.start}, ${vma.end}) of mm ${vma.mm.id}`);
  }
  if (counts.mms.size < 2) return lines;
  const pages = folios.nrPagesOf(folio);
  for (let page = folio; page < folio + pages; page++) {
    const mappings = (folios.mapcount[page] as number) + counts.pmds;
    if ((folios.flags[page] as number) & PG_ANON_EXCLUSIVE && mappings > 1) {
      lines.push(`INV-22: page ${page} is exclusive with ${mappings} mappings, expected one`);
    }
  }
  return lines;
}

/** INV-09 and INV-10. */
function referenceLines(
  memory: Memory,
  folio: number,
  counts: FolioMappings,
  extraReferences: ((folio: number) => number) | undefined,
): string[] {
  const { flags, refcount } = memory.folios;
  const found = refcount[folio] as number;
  if (found <= 0) {
    const listed = ((flags[folio] as number) & PG_LRU) !== 0;
    return [`INV-10: ${found} references${listed ? " and on an LRU" : ""}, expected it free`];
  }
  const extra = extraReferences?.(folio);
  const inFile = memory.fileOf(folio) === null ? 0 : memory.folios.nrPagesOf(folio);
  const cached = inFile + swapCachePages(memory, folio);
  const parts = `${counts.total} mappings${cached === 0 ? "" : ` + ${cached} cached pages`}`;
  if (extra !== undefined && found !== counts.total + cached + extra) {
    return [`INV-09: ${found} references, expected ${parts} + ${extra} others`];
  }
  if (found < counts.total + cached) {
    return [`INV-09: ${found} references, expected at least its ${parts}`];
  }
  return [];
}
