import {
  type FileMapping,
  type Memory,
  type Mm,
  NIL,
  NO_SLOT,
  PG_BUDDY,
  PG_DIRTY,
  PG_RESERVED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  STATE_ANON,
  STATE_FILE,
  STATE_FILE_DIRTY,
  STATE_FILE_MAPPED,
  STATE_ITEMS,
  STATE_SHMEM,
  STATE_SWAPCACHED,
} from "@lrugen/mm-core";

/** The counters that a look at every folio can tell. */
const CHECKED = [
  STATE_ANON,
  STATE_FILE,
  STATE_SHMEM,
  STATE_FILE_MAPPED,
  STATE_FILE_DIRTY,
  STATE_SWAPCACHED,
];
const IN_SWAP_CACHE = PG_SWAPBACKED | PG_SWAPCACHE;
/** Pages that one node of a file's tree covers. */
const LEAF_PAGES = 64;

/** Files know exactly the VMAs that map them, and anonymous memory has none. */
export function checkFileVmas(memory: Memory, mms: readonly Mm[], violations: string[]): void {
  const expected = new Map<number, number>();
  for (const mm of mms) {
    for (const vma of mm.vmas) {
      if (vma.file === null) continue;
      const { id } = vma.file;
      expected.set(id, (expected.get(id) ?? 0) + 1);
      if (memory.files[id]?.vmas.includes(vma) === true) continue;
      violations.push(`RMAP-01: file ${id} misses VMA [${vma.start}, ${vma.end}) of mm ${mm.id}`);
    }
  }
  for (const file of memory.files) {
    const known = file?.vmas.length ?? 0;
    const mapped = expected.get(file?.id ?? 0) ?? 0;
    if (known === mapped) continue;
    violations.push(`RMAP-01: file ${file?.id} knows ${known} VMAs, expected ${mapped}`);
  }
}

/** PGC-01: trees, folios and counters tell the same of what is cached. */
export function checkPageCache(memory: Memory, violations: string[]): void {
  for (const file of memory.files) {
    if (file !== null) checkFile(memory, file, violations);
  }
  const counted = recountStates(memory, violations);
  for (const memcg of memory.memcgs) {
    if (memcg === null) continue;
    for (const item of CHECKED) {
      const found = memory.states.of(item, memcg.index);
      const expected = counted[memcg.index * STATE_ITEMS.length + item] ?? 0;
      if (found === expected) continue;
      const name = `memcg ${memcg.path || "/"}: ${STATE_ITEMS[item]}`;
      violations.push(`${name} is ${found} pages, expected ${expected}`);
    }
  }
}

/** Every slot of a file's tree. */
function checkFile(memory: Memory, file: FileMapping, violations: string[]): void {
  const { folios, pageCache } = memory;
  const report = (what: string): void => {
    violations.push(`PGC-01: file ${file.id}: ${what}`);
  };
  let cached = 0;
  let entries = 0;
  for (let page = 0; page < file.leaves.length * LEAF_PAGES; page++) {
    const folio = pageCache.lookup(file, page);
    if (folio === NIL) {
      if (pageCache.shadow(file, page) !== undefined) entries += 1;
      else if (pageCache.swapSlot(file, page) !== NO_SLOT) entries += 1;
      continue;
    }
    cached += 1;
    entries += 1;
    const first = folios.index[folio] as number;
    if (folios.mapping[folio] !== file.id * 2) {
      report(`page ${page} is folio ${folio} of mapping ${folios.mapping[folio]}`);
    } else if (page < first || page >= first + folios.nrPagesOf(folio)) {
      report(`page ${page} is folio ${folio}, whose first page is ${first}`);
    }
  }
  if (cached !== file.cachedPages) report(`${file.cachedPages} cached pages, expected ${cached}`);
  if (entries !== file.entries) report(`${file.entries} entries, expected ${entries}`);
}

/** The checked counters as the folios themselves have them, by memcg. */
function recountStates(memory: Memory, violations: string[]): number[] {
  const { folios } = memory;
  const counted: number[] = [];
  for (let pfn = 0; pfn < folios.nrPages;) {
    const word = folios.flags[pfn] as number;
    if (word & PG_BUDDY) {
      pfn += 1 << (folios.order[pfn] as number);
      continue;
    }
    const pages = folios.nrPagesOf(pfn);
    const base = (folios.memcg[pfn] as number) * STATE_ITEMS.length;
    const add = (item: number, more: number): void => {
      counted[base + item] = (counted[base + item] ?? 0) + more;
    };
    const file = memory.fileOf(pfn);
    const mapped = mappedPages(memory, pfn);
    if ((folios.mapping[pfn] as number) & 1) add(STATE_ANON, mapped);
    if ((word & IN_SWAP_CACHE) === IN_SWAP_CACHE) add(STATE_SWAPCACHED, pages);
    if (file !== null && (word & PG_RESERVED) === 0) {
      add(STATE_FILE, pages);
      add(STATE_FILE_MAPPED, mapped);
      if (file.shmem) add(STATE_SHMEM, pages);
      else if (word & PG_DIRTY) add(STATE_FILE_DIRTY, pages);
      if (memory.pageCache.lookup(file, folios.index[pfn] as number) !== pfn) {
        violations.push(`PGC-01: folio ${pfn} is not in its file ${file.id}`);
      }
    }
    pfn += pages;
  }
  return counted;
}

/** Pages of a folio that some page table maps. */
function mappedPages(memory: Memory, folio: number): number {
  const { folios } = memory;
  if (!folios.isLarge(folio)) return (folios.mapcount[folio] as number) > 0 ? 1 : 0;
  return folios.entireMapcountOf(folio) > 0
    ? folios.nrPagesOf(folio)
    : folios.nrPagesMappedOf(folio);
}
