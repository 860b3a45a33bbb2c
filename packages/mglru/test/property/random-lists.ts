import {
  LRU_REFS_PGOFF,
  MAX_NR_ZONES,
  PG_LRU,
  PG_MLOCKED,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import fc from "fast-check";
import { genFromSeq, GenerationLists } from "../../src/index.ts";
import { Machine } from "../machine.ts";

/** Pages of zone Normal that are free; what does not fit goes to DMA32. */
const NORMAL_PAGES = 64;

const folioSpec = fc.record({
  seq: fc.nat(3),
  anon: fc.boolean(),
  order: fc.constantFrom(0, 0, 0, 0, 0, 2, 5),
  /** Accesses counted, 0..4; 5 = REFS without PG_referenced. */
  refs: fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4, 5),
  workingset: fc.constantFrom(false, false, false, true),
  /** The page-table walk promoted it, another isolated it, or a program locked it. */
  odd: fc.constantFrom("no", "no", "no", "no", "no", "promoted", "taken", "mlocked"),
});

/** Folios on the lists of one memcg, its window and its history. */
export const listSpecs = fc.record({
  folios: fc.array(folioSpec, { maxLength: 120, size: "max" }),
  minSeq: fc.tuple(fc.nat(2), fc.nat(2)),
  history: fc.array(fc.tuple(fc.nat(200), fc.nat(400)), { minLength: 8, maxLength: 8 }),
});

export type ListSpec = typeof listSpecs extends fc.Arbitrary<infer T> ? T : never;

function accessFlags(refs: number): number {
  if (refs === 5) return 2 << LRU_REFS_PGOFF;
  return refs === 0 ? 0 : PG_REFERENCED | ((refs - 1) << LRU_REFS_PGOFF);
}

/** Builds what a specification says; folios of generations that are gone lie in the oldest one. */
export function buildLists(spec: ListSpec): Machine {
  const m = new Machine({ nodes: [{ zones: [1, 2].map((zone) => ({ zone, pages: 4096 })) }] });
  for (let pages = 4096 - NORMAL_PAGES; pages > 0; pages -= 32) {
    m.memory.allocFolio(5, m.memory.root);
  }
  const generations = new GenerationLists(m.memory);
  const { lrugen } = m.lruvec;
  lrugen.minSeq.set(spec.minSeq);
  for (const [i, [refaulted, evicted]] of spec.history.entries()) {
    lrugen.refaulted[i] = refaulted;
    lrugen.evicted[i] = evicted;
  }
  for (const { seq, anon, order, refs, workingset, odd } of spec.folios) {
    const flags = (anon ? PG_SWAPBACKED : 0) | accessFlags(refs) | (workingset ? PG_WORKINGSET : 0);
    const at = Math.max(seq, spec.minSeq[anon ? 0 : 1]);
    const folio = m.onList(at, flags, order);
    const zone = m.memory.allocator.zoneOf(folio);
    if (odd === "promoted" && at < 3) {
      const type = anon ? 0 : 1;
      generations.updateSize(m.lruvec, type, zone, 1 << order, genFromSeq(at), 3);
      m.setGen(folio, 3);
      m.memory.folios.flags[folio]! |= PG_WORKINGSET;
    }
    if (odd === "taken") m.memory.folios.flags[folio]! &= ~PG_LRU;
    if (odd === "mlocked") m.memory.folios.flags[folio]! |= PG_MLOCKED;
  }
  return m;
}

/** Every generation list of memcg /t, hot end first, [gen][type][zone]. */
export function listsOf(m: Machine): number[][] {
  const { listHead } = m.lruvec.lrugen;
  return Array.from({ length: 4 * 2 * MAX_NR_ZONES }, (_, i) => [
    ...m.memory.lists.walk(listHead + i),
  ]);
}
