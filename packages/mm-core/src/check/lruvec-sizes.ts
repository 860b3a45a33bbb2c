import { LRU_ANON, LRU_FILE } from "../folio/folio-flags.ts";
import { NIL } from "../folio/folio-table.ts";
import { PG_LRU, PG_UNEVICTABLE } from "../folio/page-flags.ts";
import { MAX_NR_ZONES, ZONE_NAMES } from "../folio/zones.ts";
import { ANON_AND_FILE, LruGenFolio, MAX_NR_GENS, MIN_NR_GENS } from "../lru/lru-gen-folio.ts";
import { LRU_UNEVICTABLE, type Lruvec, NR_LRU_LISTS } from "../lru/lruvec.ts";
import type { Memory } from "../memory/memory.ts";
import { genFieldOf, typeOf } from "./folio-flags.ts";
import {
  LRU_NAMES,
  type LruList,
  lruListsOf,
  lruvecName,
  lruvecsOf,
  TYPE_NAMES,
} from "./lru-list.ts";
import type { Report } from "./report.ts";

/** Pages of one lruvec, counted folio by folio. */
class Tally {
  /** By flag generation, [gen][type][zone]. */
  readonly flagged: Float64Array = new Float64Array(LruGenFolio.nrHeads);
  /** Linked on generation lists, [type][zone]. */
  readonly linked: Float64Array = new Float64Array(ANON_AND_FILE * MAX_NR_ZONES);
  /** Linked on classic lists, or unevictable, [lru][zone]. */
  readonly classic: Float64Array = new Float64Array(NR_LRU_LISTS * MAX_NR_ZONES);
}

/** Rules about sums, which hold when quiescent: MINV-01, MINV-02, MINV-13, INV-06, INV-07, FOL-42. */
export function checkSizes(memory: Memory, listOf: Int32Array, report: Report): void {
  for (const [lruvec, tally] of countPages(memory, listOf)) {
    checkGenerations(lruvec, tally, report);
    checkCounters(lruvec, tally, report);
  }
}

function countPages(memory: Memory, listOf: Int32Array): Map<Lruvec, Tally> {
  const { flags } = memory.folios;
  const tallies = new Map<Lruvec, Tally>();
  const lists = new Map<number, LruList>();
  for (const lruvec of lruvecsOf(memory)) {
    tallies.set(lruvec, new Tally());
    for (const list of lruListsOf(lruvec)) lists.set(list.head, list);
  }
  for (const [folio, head] of listOf.entries()) {
    const word = flags[folio] as number;
    if (word < 0) continue;
    const pages = memory.folios.nrPagesOf(folio);
    const zone = memory.allocator.zoneOf(folio);
    const list = head === NIL ? undefined : lists.get(head);
    if (list !== undefined) addLinked(tallies.get(list.lruvec)!, list, zone, pages);
    const memcg = memory.memcgs[memory.folios.memcg[folio] as number];
    const lruvec = memcg?.lruvecs[memory.allocator.nodeOf(folio)];
    const tally = lruvec && tallies.get(lruvec);
    if (tally === undefined) continue;
    const gen = genFieldOf(word) - 1;
    if (gen >= 0)
      tally.flagged[(gen * ANON_AND_FILE + typeOf(word)) * MAX_NR_ZONES + zone]! += pages;
    if (word & PG_LRU && word & PG_UNEVICTABLE) {
      tally.classic[LRU_UNEVICTABLE * MAX_NR_ZONES + zone]! += pages;
    }
  }
  return tallies;
}

function addLinked(tally: Tally, list: LruList, zone: number, pages: number): void {
  const { generation, type } = list;
  if (generation !== null) tally.linked[type * MAX_NR_ZONES + generation.zone]! += pages;
  else tally.classic[(type * 2 + (list.active ? 1 : 0)) * MAX_NR_ZONES + zone]! += pages;
}

/** MINV-01 by generation, MINV-02 over all of them. */
function checkGenerations(lruvec: Lruvec, tally: Tally, report: Report): void {
  const { nrPages, abandonedPages } = lruvec.lrugen;
  const subject = lruvecName(lruvec);
  for (let type = LRU_ANON; type <= LRU_FILE; type++) {
    for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
      const where = `${TYPE_NAMES[type]} ${ZONE_NAMES[zone]}`;
      let sum = 0;
      for (let gen = 0; gen < MAX_NR_GENS; gen++) {
        const slot = (gen * ANON_AND_FILE + type) * MAX_NR_ZONES + zone;
        const found = nrPages[slot] as number;
        const expected = (tally.flagged[slot] as number) - (abandonedPages[slot] as number);
        sum += found;
        if (found === expected) continue;
        const flagged = `expected ${expected} (pages with that flag generation)`;
        report("MINV-01", subject, `nr_pages of gen ${gen} ${where} is ${found}, ${flagged}`);
      }
      const linked = tally.linked[type * MAX_NR_ZONES + zone] as number;
      if (sum === linked || hasAbandoned(lruvec)) continue;
      report(
        "MINV-02",
        subject,
        `nr_pages of ${where} add up to ${sum}, expected ${linked} linked`,
      );
    }
  }
}

/** The classic counters: by list MINV-13 (INV-07), by type INV-06, and lru_zone_size FOL-42. */
function checkCounters(lruvec: Lruvec, tally: Tally, report: Report): void {
  const { lruSize, lruZoneSize } = lruvec;
  const subject = lruvecName(lruvec);
  for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
    const expect = (rule: string, what: string, found: number, expected: number): void => {
      if (found === expected) return;
      report(rule, subject, `${what} ${ZONE_NAMES[zone]} is ${found}, expected ${expected}`);
    };
    const at = (lru: number): number => lru * MAX_NR_ZONES + zone;
    for (let lru = 0; lru < NR_LRU_LISTS; lru++) {
      const counted = tally.classic[at(lru)] as number;
      expect(
        "FOL-42",
        `lru_zone_size of ${LRU_NAMES[lru]}`,
        lruZoneSize[at(lru)] as number,
        counted,
      );
    }
    for (let type = LRU_ANON; type <= LRU_FILE; type++) {
      let found = 0;
      let expected = 0;
      for (const active of [0, 1]) {
        const lru = type * 2 + active;
        const size = lruSize[at(lru)] as number;
        const pages =
          generationPages(lruvec, type, zone, active === 1) + (tally.classic[at(lru)] as number);
        if (!hasAbandoned(lruvec))
          expect("MINV-13 (INV-07)", `size of ${LRU_NAMES[lru]}`, size, pages);
        found += size;
        expected += pages;
      }
      expect("INV-06", `size of ${TYPE_NAMES[type]}`, found, expected);
    }
    const unevictable = tally.classic[at(LRU_UNEVICTABLE)] as number;
    expect("INV-06", "size of unevictable", lruSize[at(LRU_UNEVICTABLE)] as number, unevictable);
  }
}

/**
 * Whether folios were left on the lists of memcgs below: they leave sizes that did not count them, as of
 * the generations that the lruvec has then (MINV-02 and MINV-13 say nothing any more).
 */
function hasAbandoned({ lrugen }: Lruvec): boolean {
  return lrugen.abandonedPages.some((pages) => pages !== 0);
}

/** Pages of the two youngest generations, or of the others. */
function generationPages({ lrugen }: Lruvec, type: number, zone: number, active: boolean): number {
  const { maxSeq, nrPages, abandonedPages } = lrugen;
  let pages = 0;
  for (let age = 0; age < MAX_NR_GENS; age++) {
    if (age < MIN_NR_GENS !== active) continue;
    const gen = (maxSeq + MAX_NR_GENS - age) % MAX_NR_GENS;
    const slot = (gen * ANON_AND_FILE + type) * MAX_NR_ZONES + zone;
    pages += (nrPages[slot] as number) + (abandonedPages[slot] as number);
  }
  return pages;
}
