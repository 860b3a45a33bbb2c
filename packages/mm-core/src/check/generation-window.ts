import { LRU_ANON, LRU_FILE } from "../folio/folio-flags.ts";
import { MAX_NR_ZONES, ZONE_NAMES } from "../folio/zones.ts";
import { ANON_AND_FILE, MAX_NR_GENS, MIN_NR_GENS } from "../lru/lru-gen-folio.ts";
import type { Lruvec } from "../lru/lruvec.ts";
import type { Memory } from "../memory/memory.ts";
import { lruvecName, TYPE_NAMES } from "./lru-list.ts";
import type { Report } from "./report.ts";

/**
 * MINV-08 (INV-08): each type has 2 to 4 generations. MINV-12: lists outside of them are empty.
 *
 * While an aging runs there is one exception: a type that it skips has given up its oldest
 * generation with the folios in it, in the slot that will be the youngest (AGE-10 step 1, AGE-11). Ever
 * after, eviction may sort such folios by their flags to a slot outside: MINV-12 says nothing any more.
 */
export function checkWindow(
  memory: Memory,
  lruvec: Lruvec,
  quiescent: boolean,
  report: Report,
): void {
  const { maxSeq, minSeq, listHead, gaveUpPopulated } = lruvec.lrugen;
  const subject = lruvecName(lruvec);
  for (let type = LRU_ANON; type <= LRU_FILE; type++) {
    const name = TYPE_NAMES[type];
    const min = minSeq[type] as number;
    const gens = maxSeq - min + 1;
    if (!(gens >= MIN_NR_GENS && gens <= MAX_NR_GENS)) {
      const found = `${gens} generations of ${name} (${min}..${maxSeq})`;
      report("MINV-08 (INV-08)", subject, `${found}, expected ${MIN_NR_GENS}..${MAX_NR_GENS}`);
      continue;
    }
    if (gaveUpPopulated[type]) continue;
    if (!quiescent && gens === MAX_NR_GENS - 1) continue; // the one slot outside may be skipped
    for (let outside = maxSeq + 1; outside < min + MAX_NR_GENS; outside++) {
      const gen = outside % MAX_NR_GENS;
      for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
        const head = listHead + (gen * ANON_AND_FILE + type) * MAX_NR_ZONES + zone;
        if (memory.lists.isEmpty(head)) continue;
        const list = `gen ${gen} ${name} ${ZONE_NAMES[zone]}`;
        report("MINV-12", subject, `folios on ${list}, expected none outside ${min}..${maxSeq}`);
      }
    }
  }
}
