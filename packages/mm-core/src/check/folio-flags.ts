import { LRU_ANON, LRU_FILE } from "../folio/folio-flags.ts";
import { NIL } from "../folio/folio-table.ts";
import {
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  PG_ACTIVE,
  PG_BUDDY,
  PG_LRU,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
} from "../folio/page-flags.ts";
import { ZONE_NAMES } from "../folio/zones.ts";
import { MAX_NR_GENS } from "../lru/lru-gen-folio.ts";
import type { Memory } from "../memory/memory.ts";
import { linkedLruvecsOf, type LruList, lruListsOf, lruvecName, TYPE_NAMES } from "./lru-list.ts";
import type { Report } from "./report.ts";

/** The LRU_GEN field of a flag word: generation slot + 1, 0 = on no multi-gen list. */
export function genFieldOf(word: number): number {
  return (word & LRU_GEN_MASK) >> LRU_GEN_PGOFF;
}

/** LRU_ANON or LRU_FILE (FOL-03, CONV-05). */
export function typeOf(word: number): number {
  return word & PG_SWAPBACKED ? LRU_ANON : LRU_FILE;
}

/**
 * Rules about one folio at a time: its flags, and the list it was found on.
 * INV-01..INV-04, INV-10, FOL-04, MINV-04..MINV-07.
 */
export function checkFolioFlags(memory: Memory, listOf: Int32Array, report: Report): void {
  const lists = new Map<number, LruList>();
  for (const lruvec of linkedLruvecsOf(memory)) {
    for (const list of lruListsOf(lruvec)) lists.set(list.head, list);
  }
  const { flags } = memory.folios;
  for (const [pfn, head] of listOf.entries()) {
    const list = head === NIL ? null : (lists.get(head) ?? null);
    const word = flags[pfn] as number;
    if (list !== null && (word < 0 || word === PG_BUDDY)) {
      const found = word < 0 ? "a tail page" : "a free block";
      report("INV-10", `frame ${pfn}`, `${found} found on ${list.name}, expected a folio`);
    } else if (word >= 0) {
      checkFlags(pfn, word, list, report);
      checkReferences(memory, pfn, list, report);
      if (list !== null) checkPlace(memory, pfn, list, report);
    }
  }
}

function checkFlags(folio: number, word: number, list: LruList | null, report: Report): void {
  const subject = `folio ${folio}`;
  const place = list === null ? "no LRU list" : list.name;
  const gen = genFieldOf(word);
  const onGenerations = list !== null && list.generation !== null;
  const special = names(word & (PG_ACTIVE | PG_UNEVICTABLE));
  if (word & PG_LRU) {
    if (word & PG_UNEVICTABLE) {
      if (list !== null) report("INV-01", subject, `unevictable on ${place}, expected it on none`);
    } else if (list === null) {
      report("INV-01", subject, `PG_lru set on ${place}, expected it on one`);
    }
  } else {
    if (list !== null) {
      report("INV-02", subject, `PG_lru clear on ${place}, expected it on none`);
      report("MINV-07", subject, `PG_lru clear on ${place}, expected it set`);
    }
    if (gen !== 0) report("INV-02", subject, `PG_lru clear and GEN ${gen}, expected GEN 0`);
  }
  if (gen !== 0 && special) report("INV-03", subject, `GEN ${gen} and ${special}, expected none`);
  if (special === "PG_active PG_unevictable")
    report("INV-04", subject, `${special} found, expected at most one`);
  if (onGenerations ? gen < 1 || gen > MAX_NR_GENS : gen !== 0) {
    const expected = onGenerations ? `1..${MAX_NR_GENS}` : "0";
    report("MINV-04", subject, `GEN ${gen} on ${place}, expected ${expected}`);
  }
  if (onGenerations && special) report("MINV-05", subject, `${special} on ${place}, expected none`);
}

/** INV-10, as far as it is about lists and map counts. */
function checkReferences(
  memory: Memory,
  folio: number,
  list: LruList | null,
  report: Report,
): void {
  const { folios } = memory;
  const refs = folios.refcount[folio] as number;
  if (refs > 0) return;
  const subject = `folio ${folio}`;
  if (list !== null || (folios.flags[folio] as number) & PG_LRU) {
    report("INV-10", subject, `${refs} references and on an LRU, expected at least 1`);
  }
  const mappings = folios.mapcountOf(folio);
  if (mappings !== 0) {
    report("INV-10", subject, `${refs} references and ${mappings} mappings, expected no mapping`);
  }
}

/** MINV-06, and for classic lists FOL-04. */
function checkPlace(memory: Memory, folio: number, list: LruList, report: Report): void {
  const subject = `folio ${folio}`;
  const word = memory.folios.flags[folio] as number;
  const type = typeOf(word);
  if (type !== list.type) {
    const expected = TYPE_NAMES[list.type];
    report("MINV-06", subject, `type ${TYPE_NAMES[type]} on ${list.name}, expected ${expected}`);
  }
  if (list.generation === null) {
    const active = (word & PG_ACTIVE) !== 0;
    if (active !== list.active) {
      const [found, expected] = active ? ["set", "clear"] : ["clear", "set"];
      report("FOL-04", subject, `PG_active ${found} on ${list.name}, expected it ${expected}`);
    }
  } else {
    const zone = memory.allocator.zoneOf(folio);
    if (zone !== list.generation.zone) {
      const expected = ZONE_NAMES[list.generation.zone];
      report("MINV-06", subject, `zone ${ZONE_NAMES[zone]} on ${list.name}, expected ${expected}`);
    }
  }
  const memcg = memory.memcgs[memory.folios.memcg[folio] as number];
  const node = memory.allocator.nodeOf(folio);
  const isAbandoned = memory.memcgs[list.lruvec.memcg.index] !== list.lruvec.memcg;
  if (memcg?.lruvecs[node] !== list.lruvec && !isAbandoned) {
    const owner = memcg ? `memcg ${memcg.path} node ${node}` : "no memcg";
    report("MINV-06", subject, `${owner} on ${list.name}, expected ${lruvecName(list.lruvec)}`);
  }
}

function names(word: number): string {
  return [word & PG_ACTIVE ? "PG_active" : "", word & PG_UNEVICTABLE ? "PG_unevictable" : ""]
    .filter((name) => name !== "")
    .join(" ");
}
