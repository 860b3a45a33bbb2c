import { MAX_NR_ZONES, PG_LRU, PG_MLOCKED } from "@lrugen/mm-core";
import { checkLists, checkLruvecs } from "@lrugen/mm-core/check";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FolioScan, folioLruGen, GenerationLists, genFromSeq, nrGens } from "../../src/index.ts";
import type { Machine } from "../machine.ts";
import type { Fate } from "../reclaim.ts";
import { NaiveScan } from "./naive-scan.ts";
import { buildLists, listSpecs, listsOf } from "./random-lists.ts";
import { RUNS } from "./runs.ts";

const scans = fc.record({
  nr: fc.integer({ min: 1, max: 130 }),
  type: fc.nat(1),
  tier: fc.nat(3),
  reclaimIdx: fc.nat(4),
});

describe("random lists", () => {
  test("are scanned folio by folio as the rules say (EVT-10, EVT-11, EVT-20, MINV-22..24)", () => {
    fc.assert(
      fc.property(listSpecs, scans, (spec, { nr, type, tier, reclaimIdx }) => {
        const m = buildLists(spec);
        const scan = new FolioScan(m.memory, new GenerationLists(m.memory));
        const list = m.memory.lists.allocHeads(1);
        const naive = new NaiveScan(m, type);
        naive.run(nr, tier, reclaimIdx);
        const sc = m.scanControl({ reclaimIdx });
        expect(scan.scan(nr, m.lruvec, sc, type, tier, list)).toBe(naive.scanned);
        expect(listsOf(m)).toEqual(naive.lists);
        expect([...m.memory.lists.walk(list)]).toEqual(naive.isolated);
        const pages = [scan.sorted, scan.isolated, scan.skipped];
        expect(pages).toEqual([naive.sortedPages, naive.isolatedPages, naive.skippedPages]);
        expect(pages.reduce((sum, count) => sum + count, 0)).toBe(naive.scanned);
        const { protected: kept } = m.lruvec.lrugen;
        expect([...kept.subarray(type * 4, type * 4 + 4)]).toEqual(naive.protected);
        expect(scan.isolated).toBeLessThan(64 + 32);
      }),
      RUNS,
    );
  });
});

const batches = fc.record({
  nr: fc.integer({ min: 1, max: 130 }),
  swappiness: fc.constantFrom(0, 1, 60, 60, 60, 200, 201),
  fates: fc.infiniteStream(fc.constantFrom<Fate>("free", "free", "free", "keep", "activate")),
  refaults: fc.boolean(),
});

/** Where every folio of a list is, and in which order. */
function placeOf(m: Machine, folio: number): { list: number; at: number } {
  const lists = listsOf(m);
  const list = lists.findIndex((folios) => folios.includes(folio));
  return { list, at: lists[list]?.indexOf(folio) ?? -1 };
}

describe("batches of random lists", () => {
  test("come from the oldest generation, survivors keep their order and do not go back there (MINV-22, MINV-25..28)", () => {
    fc.assert(
      fc.property(listSpecs, fc.array(batches, { maxLength: 4 }), (spec, steps) => {
        const m = buildLists({ ...spec, history: spec.history.map(() => [0, 0]) });
        for (const step of steps) {
          checkBatch(m, step);
          const { lrugen } = m.lruvec;
          const remembered = lrugen.evicted.reduce((sum, pages) => sum + pages, 0);
          const average = lrugen.avgTotal.reduce((sum, pages) => sum + pages, 0);
          if (average === 0) expect(remembered).toBe(shadowPages(m));
          if (step.refaults) refaultAll(m);
          checkRefaults(m);
        }
      }),
      RUNS,
    );
  });
});

type Batch = typeof batches extends fc.Arbitrary<infer T> ? T : never;

function checkBatch(m: Machine, { nr, swappiness, fates }: Batch): void {
  const { lrugen } = m.lruvec;
  const before = listsOf(m);
  const twoGens = [0, 1].map((type) => nrGens(lrugen, type) === 2);
  const seen = m.reclaimer.batches.length;
  const decided = new Map<number, Fate>();
  m.reclaimer.fate = (folio) => {
    if (!decided.has(folio)) decided.set(folio, fates.next().value);
    return decided.get(folio)!;
  };
  const oldest = new Map<number, number>();
  m.reclaimer.afterwards = () => {
    for (const type of [0, 1]) oldest.set(type, lrugen.minSeq[type]!);
  };
  const sc = m.scanControl();
  m.policy.eviction.evictFolios(nr, m.lruvec, sc, swappiness);
  const [first] = m.reclaimer.batches.slice(seen);
  if (first === undefined) return;
  expect(first.length).toBeLessThanOrEqual(nr);
  const at = before.findIndex((folios) => folios.includes(first[0]!));
  const type = Math.floor(at / MAX_NR_ZONES) % 2;
  expect(twoGens[type]).toBe(false);
  for (const folio of first) {
    const list = before.findIndex((folios) => folios.includes(folio));
    expect(Math.floor(list / MAX_NR_ZONES) % 2).toBe(type);
  }
  const survivors = m.reclaimer.batches
    .slice(seen)
    .flat()
    .filter((folio, i, all) => decided.get(folio) !== "free" && all.indexOf(folio) === i)
    .filter((folio) => (m.flags(folio) & (PG_LRU | PG_MLOCKED)) === PG_LRU);
  // With two generations left PG_active leads to the older of them: there is no other.
  if (oldest.get(type)! <= lrugen.maxSeq - 2) {
    for (const folio of survivors) {
      expect(folioLruGen(m.flags(folio))).not.toBe(genFromSeq(oldest.get(type)!));
    }
  }
  checkSurvivorOrder(m, before, survivors, decided);
}

/** Those that were put back together: the coldest is deepest, and all are ahead of older members. */
function checkSurvivorOrder(
  m: Machine,
  before: readonly number[][],
  survivors: readonly number[],
  decided: ReadonlyMap<number, Fate>,
): void {
  const activated = survivors.filter((folio) => decided.get(folio) === "activate");
  const places = activated.map((folio) => placeOf(m, folio));
  for (let i = 1; i < places.length; i++) {
    if (places[i]!.list !== places[i - 1]!.list) continue;
    expect(places[i]!.at).toBeLessThan(places[i - 1]!.at);
  }
  const after = listsOf(m);
  for (const { list, at } of places) {
    const older = after[list]!.findIndex((folio) => before[list]!.includes(folio));
    const stayed = older >= 0 && !survivors.includes(after[list]![older]!);
    if (stayed) expect(at).toBeLessThan(older);
  }
}

const shadowsOf = (m: Machine): [number, number][] => [...m.reclaimer.shadows];

/** Pages of the folios that left shadows; the fake frees whole folios only. */
function shadowPages(m: Machine): number {
  return m.events["pgsteal_direct"] ?? 0;
}

function refaultAll(m: Machine): void {
  for (const [, shadow] of shadowsOf(m)) {
    const fresh = m.memory.allocFolio(0, m.memcg);
    if (fresh < 0) return;
    m.task.inLruFault = !m.task.inLruFault;
    m.policy.refault(m.task, fresh, shadow);
    m.memory.release.put(m.cpu, fresh);
  }
  m.reclaimer.shadows.clear();
}

function checkRefaults(m: Machine): void {
  const { events } = m;
  const count = (name: string): number => events[name] ?? 0;
  const { refaulted, avgRefaulted } = m.lruvec.lrugen;
  const sum = [...refaulted, ...avgRefaulted].reduce((total, pages) => total + pages, 0);
  const refaults = count("workingset_refault_anon") + count("workingset_refault_file");
  expect(sum).toBeLessThanOrEqual(refaults);
  expect(count("workingset_restore_file")).toBeGreaterThanOrEqual(
    count("workingset_activate_file"),
  );
}

describe("whole evictions by command", () => {
  test("leave lists, flags and sizes in order (MINV-01..14)", () => {
    fc.assert(
      fc.property(listSpecs, fc.constantFrom(0, 60, 201), fc.nat(1), (spec, swappiness, seq) => {
        const quiet = spec.folios.filter(({ odd }) => odd === "no" || odd === "promoted");
        const m = buildLists({ ...spec, folios: quiet });
        m.reclaimer.fate = (folio) => (folio % 3 === 0 ? "activate" : "free");
        m.write(`- 28 0 ${seq} ${swappiness}`);
        expect([...checkLists(m.memory), ...checkLruvecs(m.memory, { quiescent: true })]).toEqual(
          [],
        );
      }),
      RUNS,
    );
  });
});
