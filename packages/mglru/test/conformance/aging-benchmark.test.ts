import { PG_REFERENCED, PG_SWAPBACKED, singleNode } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine, PMD, REGION } from "../machine.ts";
import { mapPmd, mapPtes, ptes } from "../mapping.ts";

const PAGES = 8192;
const FAULTED = PG_SWAPBACKED | PG_REFERENCED;

/** What one aging did and where it left the memory. */
interface Row {
  /** max_seq before. */
  readonly gen: number;
  /** T, Y, F, A of this aging alone. */
  readonly walk: readonly number[];
  /** Takes of lru_lock: 1 for a flush, the rest to open the generation. */
  readonly holds: number;
  /** Slot with all pages, by flags. */
  readonly slot: number;
  /** avg_total of tier 3, anon. */
  readonly avgTotal: number;
}

/** Agings from max_seq 3 to 8 of one memcg that wrote `PAGES` pages once. */
function age(m: Machine, listed: number): Row[] {
  return [3, 4, 5, 6, 7, 8].map((gen) => {
    const { lrugen, lock } = m.lruvec;
    expect(lrugen.maxSeq).toBe(gen);
    const before = { stats: m.stats, holds: lock.acquisitions };
    m.age();
    expect([...lrugen.minSeq]).toEqual([gen - 2, gen - 2]);
    const slots = [0, 1, 2, 3].filter((slot) => m.pages(slot) !== 0);
    expect(slots.map((slot) => m.pages(slot))).toEqual([listed]);
    return {
      gen,
      walk: m.stats.map((count, i) => count - before.stats[i]!),
      holds: lock.acquisitions - before.holds,
      slot: slots[0]!,
      avgTotal: lrugen.avgTotal[3]!,
    };
  });
}

/** Pages are order-0 folios; the last `waiting` of them are still in a folio batch. */
function written(waiting: number): { m: Machine; folios: number[] } {
  const m = new Machine({ nodes: singleNode(2 * PAGES) });
  const vma = m.vma(m.mm(), REGION, PAGES);
  const folios = Array.from({ length: PAGES }, (_, i) => {
    const folio = m.folio(FAULTED);
    mapPtes(m.memory, vma, REGION + i, folio, "Y");
    return i < PAGES - waiting ? m.add(folio) : folio;
  });
  return { m, folios };
}

/** T, Y, F, A when nothing is young. */
const QUIET = [8192, 0, 16, 0];

describe("8,192 pages written once and aged again and again, as on the reference kernel (S1-13)", () => {
  test("with the batches drained", () => {
    const { m, folios } = written(0);
    expect(age(m, 8192)).toEqual([
      { gen: 3, walk: [8192, 8192, 16, 16], holds: 1 + 1, slot: 3, avgTotal: 0 },
      { gen: 4, walk: QUIET, holds: 1, slot: 3, avgTotal: 0 },
      { gen: 5, walk: QUIET, holds: 3, slot: 3, avgTotal: 4096 },
      { gen: 6, walk: QUIET, holds: 3, slot: 0, avgTotal: 6144 },
      { gen: 7, walk: QUIET, holds: 3, slot: 1, avgTotal: 7168 },
      { gen: 8, walk: QUIET, holds: 3, slot: 2, avgTotal: 7680 },
    ]);
    // Four of the six reversed the list.
    expect(m.list(6)).toEqual(folios.toReversed());
  });

  test("undrained: the last 8 stay in a batch, are counted in T, and keep their young PTEs", () => {
    const { m, folios } = written(PAGES % 31);
    const waiting = folios.slice(-8);
    expect(age(m, 8184)).toEqual([
      { gen: 3, walk: [8192, 8184, 16, 16], holds: 1 + 1, slot: 3, avgTotal: 0 },
      { gen: 4, walk: QUIET, holds: 1, slot: 3, avgTotal: 0 },
      { gen: 5, walk: QUIET, holds: 2, slot: 3, avgTotal: 4092 },
      { gen: 6, walk: QUIET, holds: 2, slot: 0, avgTotal: 6138 },
      { gen: 7, walk: QUIET, holds: 2, slot: 1, avgTotal: 7161 },
      { gen: 8, walk: QUIET, holds: 2, slot: 2, avgTotal: 7672 },
    ]);
    expect(waiting.map((folio) => m.state(folio))).toEqual(Array(8).fill("gen -1 R"));
    const mm = m.memcg.mmList.walk().next().value!;
    expect(ptes(m.memory, mm, REGION + PAGES - 10, 10)).toBe("OOYYYYYYYY");
  });

  test("as 16 huge pages", () => {
    const m = new Machine({ nodes: singleNode(2 * PAGES) });
    const vma = m.vma(m.mm(), REGION, PAGES);
    for (let unit = 0; unit < 16; unit++) {
      const folio = m.add(m.folio(FAULTED, 9));
      mapPmd(m.memory, vma, REGION + unit * PMD, folio, "Y");
    }
    const quiet = [16, 0, 0, 0];
    expect(age(m, 8192)).toEqual([
      { gen: 3, walk: [16, 16, 0, 0], holds: 1 + 1, slot: 3, avgTotal: 0 },
      { gen: 4, walk: quiet, holds: 1, slot: 3, avgTotal: 0 },
      { gen: 5, walk: quiet, holds: 1, slot: 3, avgTotal: 4096 },
      { gen: 6, walk: quiet, holds: 1, slot: 0, avgTotal: 6144 },
      { gen: 7, walk: quiet, holds: 1, slot: 1, avgTotal: 7168 },
      { gen: 8, walk: quiet, holds: 1, slot: 2, avgTotal: 7680 },
    ]);
    expect(m.lruvec.mmState.filters.every((filter) => filter!.every((word) => word === 0))).toBe(
      true,
    );
  });
});

describe("the same with series inc-min-seq", () => {
  test("is walked, held and sized alike; what aging promoted is not protected (S1-04, S1-11)", () => {
    const stock = written(0).m;
    const m = new Machine({
      nodes: singleNode(2 * PAGES),
      features: ["batchSizes", "promotedAhead", "promotedNotProtected", "headToTail", "spliceRuns"],
    });
    const vma = m.vma(m.mm(), REGION, PAGES);
    const folios = Array.from({ length: PAGES }, (_, i) => {
      const folio = m.add(m.folio(FAULTED));
      mapPtes(m.memory, vma, REGION + i, folio, "Y");
      return folio;
    });
    const rows = age(m, 8192);
    const averages = [0, 0, 0, 4096, 6144, 7168];
    expect(rows).toEqual(age(stock, 8192).map((row, i) => ({ ...row, avgTotal: averages[i] })));
    // Gen 5 reversed the list, one promoted folio after the other; runs keep it as it is then.
    expect([m.list(6), m.policy.aging.counts.splices]).toEqual([folios, 2 * 3]);
  });
});
