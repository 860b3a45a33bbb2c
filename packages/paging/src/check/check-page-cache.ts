import {
  type FileMapping,
  type Memory,
  NIL,
  PG_DIRTY,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_WRITEBACK,
  STATE_FILE,
  STATE_FILE_DIRTY,
  STATE_FILE_WRITEBACK,
} from "@lrugen/mm-core";

/** Pages in page caches, and dirty ones of them, by memcg index. */
interface Totals {
  readonly cached: Map<number, number>;
  readonly dirty: Map<number, number>;
}

/**
 * Whether the page caches of a machine, its folios and its counters agree. Holds between any two
 * operations. A machine with a swap cache has more pages counted as `file` than files have.
 *
 * Rules: PGC-01, PGC-03, PGC-04, FOL-21.
 *
 * @returns one line for each violation: rule, where, what was found and expected
 */
export function checkPageCache(memory: Memory): string[] {
  const violations: string[] = [];
  const totals: Totals = { cached: new Map(), dirty: new Map() };
  for (const file of memory.files) {
    if (file !== null) checkFile(memory, file, totals, violations);
  }
  for (const memcg of memory.memcgs) {
    if (memcg === null) continue;
    const expected: [item: number, name: string, pages: number][] = [
      [STATE_FILE, "file", totals.cached.get(memcg.index) ?? 0],
      [STATE_FILE_DIRTY, "file_dirty", totals.dirty.get(memcg.index) ?? 0],
      [STATE_FILE_WRITEBACK, "file_writeback", 0],
    ];
    for (const [item, name, pages] of expected) {
      const found = memory.states.of(item, memcg.index);
      if (found === pages) continue;
      violations.push(`PGC-01: memcg ${memcg.path}: ${name} is ${found} pages, expected ${pages}`);
    }
  }
  return violations;
}

function checkFile(
  memory: Memory,
  file: FileMapping,
  totals: Totals,
  violations: string[],
): void {
  const { folios, pageCache } = memory;
  const end = file.leaves.length * 64;
  let cached = 0;
  let dirty = 0;
  for (let page = 0; page < end;) {
    const folio = pageCache.lookup(file, page);
    if (folio === NIL) {
      page += 1;
      continue;
    }
    const pages = folios.nrPagesOf(folio);
    checkFolio(memory, file, folio, page, violations);
    const memcg = folios.memcg[folio] as number;
    cached += pages;
    totals.cached.set(memcg, (totals.cached.get(memcg) ?? 0) + pages);
    if (!file.shmem && (folios.flags[folio] as number) & PG_DIRTY) {
      dirty += pages;
      totals.dirty.set(memcg, (totals.dirty.get(memcg) ?? 0) + pages);
    }
    page += pages;
  }
  if (cached !== file.cachedPages) {
    violations.push(`PGC-01: file ${file.name}: cachedPages ${file.cachedPages}, found ${cached}`);
  }
  if (dirty !== file.dirtyPages) {
    violations.push(`PGC-04: file ${file.name}: dirtyPages ${file.dirtyPages}, found ${dirty}`);
  }
}

function checkFolio(
  memory: Memory,
  file: FileMapping,
  folio: number,
  page: number,
  violations: string[],
): void {
  const { folios, pageCache } = memory;
  const name = `file ${file.name}: folio ${folio} of page ${page}`;
  const pages = folios.nrPagesOf(folio);
  const word = folios.flags[folio] as number;
  const references = folios.refcount[folio] as number;
  if (folios.index[folio] !== page || page % pages !== 0) {
    violations.push(`PGC-01: ${name} has index ${folios.index[folio]} and ${pages} pages`);
  }
  if (memory.fileOf(folio) !== file) violations.push(`PGC-01: ${name} belongs to another file`);
  for (let i = 1; i < pages; i++) {
    if (pageCache.lookup(file, page + i) === folio) continue;
    violations.push(`PGC-01: ${name}: page ${page + i} is not its`);
  }
  const mapped = folios.mapcountOf(folio);
  if (references < pages + mapped) {
    violations.push(`FOL-21: ${name}: ${references} references, expected ${pages + mapped} or more`);
  }
  if (((word & PG_SWAPBACKED) !== 0) !== file.shmem || (word & PG_SWAPCACHE) !== 0) {
    violations.push(`PGC-03: ${name} has flags 0x${word.toString(16)}, wrong for its file`);
  }
  if (word & PG_WRITEBACK) violations.push(`PGC-04: ${name} is still under writeback`);
}
