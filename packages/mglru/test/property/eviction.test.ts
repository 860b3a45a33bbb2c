import { checkLists, checkLruvecs } from "@lrugen/mm-core/check";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FolioScan, GenerationLists } from "../../src/index.ts";
import { batches, CheckedEviction } from "./checked-eviction.ts";
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

describe("batches of random lists", () => {
  test("come from the oldest generation, survivors keep their order and do not go back there (MINV-22, MINV-25..28)", () => {
    fc.assert(
      fc.property(listSpecs, fc.array(batches, { maxLength: 4 }), (spec, steps) => {
        const checked = new CheckedEviction({ ...spec, history: spec.history.map(() => [0, 0]) });
        for (const step of steps) expect(checked.take(step)).toEqual([]);
      }),
      RUNS,
    );
  });
});

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
