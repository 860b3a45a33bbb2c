import {
  type FileMapping,
  type Memory,
  NIL,
  PG_DIRTY,
  PG_SWAPBACKED,
  PG_WRITEBACK,
  STATE_FILE_WRITEBACK,
} from "@lrugen/mm-core";

/**
 * Folios of page caches are aligned, have the cache's references and their file's type, are not left
 * under writeback, and their file knows how much of it is dirty. Holds between any two operations.
 *
 * Rules: PGC-01, PGC-03, PGC-04, FOL-21.
 *
 * @param violations gets a line for each violation: rule, where, what was found and expected
 */
export function checkFileFolios(memory: Memory, violations: string[]): void {
  for (const file of memory.files) {
    if (file !== null) checkFile(memory, file, violations);
  }
  for (const memcg of memory.memcgs) {
    const pages = memcg === null ? 0 : memory.states.of(STATE_FILE_WRITEBACK, memcg.index);
    if (pages === 0) continue;
    violations.push(`PGC-04: memcg ${memcg?.path}: ${pages} pages under writeback, expected 0`);
  }
}

function checkFile(memory: Memory, file: FileMapping, violations: string[]): void {
  const { folios, pageCache } = memory;
  let dirty = 0;
  for (let page = 0; page < file.leaves.length * 64;) {
    const folio = pageCache.lookup(file, page);
    if (folio === NIL) {
      page += 1;
      continue;
    }
    const pages = folios.nrPagesOf(folio);
    const isDirty = ((folios.flags[folio] as number) & PG_DIRTY) !== 0;
    if (isDirty && !file.shmem) dirty += pages;
    checkFolio(memory, file, folio, page, violations);
    page += pages;
  }
  if (dirty === file.dirtyPages) return;
  violations.push(`PGC-04: file ${file.name}: ${file.dirtyPages} dirty pages, expected ${dirty}`);
}

function checkFolio(
  memory: Memory,
  file: FileMapping,
  folio: number,
  page: number,
  violations: string[],
): void {
  const { folios } = memory;
  const name = `file ${file.name}: folio ${folio} of page ${page}`;
  const pages = folios.nrPagesOf(folio);
  const word = folios.flags[folio] as number;
  const references = folios.refcount[folio] as number;
  const needed = pages + folios.mapcountOf(folio);
  if (page % pages !== 0) violations.push(`PGC-01: ${name} has ${pages} pages: not aligned`);
  if (references < needed) {
    violations.push(`FOL-21: ${name}: ${references} references, expected ${needed} or more`);
  }
  if (((word & PG_SWAPBACKED) !== 0) !== file.shmem) {
    violations.push(`PGC-03: ${name}: flags 0x${word.toString(16)}, wrong for its file`);
  }
  if (word & PG_WRITEBACK) violations.push(`PGC-04: ${name} is still under writeback`);
}
