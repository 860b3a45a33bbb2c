import { type FileMapping, type Memory, NIL, PG_DIRTY, PG_RECLAIM } from "@lrugen/mm-core";

/**
 * A folio of a file as `PAGE[P][D][/ORDER]`: its first page, P = readahead mark or PG_reclaim,
 * D = dirty, and the order of a large one.
 */
export function folioText(memory: Memory, folio: number): string {
  const { flags, index, order } = memory.folios;
  const word = flags[folio] as number;
  const mark = word & PG_RECLAIM ? "P" : "";
  const dirty = word & PG_DIRTY ? "D" : "";
  const large = memory.folios.isLarge(folio) ? `/${order[folio]}` : "";
  return `${index[folio]}${mark}${dirty}${large}`;
}

/** The cached folios of a file in page order, see folioText. */
export function cacheText(memory: Memory, file: FileMapping): string {
  const texts: string[] = [];
  for (let page = 0; page < file.leaves.length * 64;) {
    const folio = memory.pageCache.lookup(file, page);
    if (folio !== NIL) texts.push(folioText(memory, folio));
    page += folio === NIL ? 1 : memory.folios.nrPagesOf(folio);
  }
  return texts.join(" ");
}
