import { MAX_NR_GENS, MAX_NR_TIERS } from "@lrugen/mm-core";
import { type FeatureSet, systemFeatures } from "@lrugen/sim";
import { describe, expect, it } from "vitest";
import { type IncMinSeqOptions, IncMinSeqProgram } from "../../../src/index.ts";

const stock = systemFeatures();
const series = systemFeatures("series/inc-min-seq");

/** What S1-11 says stays as it was: sizes, sequence numbers, counters, and each folio's flags. */
const unchanged = ({ guest }: IncMinSeqProgram): object => {
  const { lrugen, lruSize, mmState } = guest.memcg.lruvecs[0]!;
  const { folios, vmstat } = guest.system.memory;
  return {
    max: lrugen.maxSeq,
    min: [...lrugen.minSeq],
    nrPages: [...lrugen.nrPages],
    lruSize: [...lruSize],
    stats: [...mmState.stats],
    vmstat: vmstat.toRecord(),
    flags: folios.flags.reduce((hash, word) => Math.imul(hash ^ word, 0x0100_0193), 0x811c_9dc5),
  };
};

/** Reads every `step`-th page, so that the next walk finds it young. */
const touch = ({ guest }: IncMinSeqProgram, step: number): void => {
  const { task } = guest.workers[0]!;
  const { start, pages } = guest.regions[0]!;
  for (let page = 0; page < pages; page += step)
    guest.system.paging.access(task, start + page, false);
};

const options: Omit<IncMinSeqOptions, "features"> = { pages: 9000 };
const program = (features: FeatureSet, more: Partial<IncMinSeqOptions> = {}): IncMinSeqProgram =>
  new IncMinSeqProgram({ ...options, ...more, features });

describe("the series and 7.3 agree at every aging in sizes, seqs, vmstat and flags (S1-11)", () => {
  it.each([
    { thp: "never", drain: true },
    { thp: "never", drain: false },
    { thp: "64kB", drain: false },
    { thp: "always", drain: true },
  ] as const)("THP $thp, drained $drain", (more) => {
    const before = program(stock, more);
    const after = program(series, more);
    for (let gen = 3; gen < 20; gen++) {
      if (gen % 3 === 0) for (const one of [before, after]) touch(one, gen % 2 === 0 ? 3 : 7);
      const {
        splices: _before,
        order: _o1,
        promotedOrder: _p1,
        avgTotal: _a1,
        headPage: _h1,
        tailPage: _t1,
        ...stockRecord
      } = before.age(gen);
      const {
        splices: _after,
        order: _o2,
        promotedOrder: _p2,
        avgTotal: _a2,
        headPage: _h2,
        tailPage: _t2,
        ...seriesRecord
      } = after.age(gen);
      expect(seriesRecord).toEqual(stockRecord);
      expect(unchanged(after)).toEqual(unchanged(before));
    }
  });
});

/** Aged up to gen 8, then every third page is read: what gen 9 empties holds both kinds. */
const mixed = (features: FeatureSet): IncMinSeqProgram => {
  const one = program(features);
  for (let gen = 3; gen < 9; gen++) one.age(gen);
  touch(one, 3);
  return one;
};

describe("an aging that finds every third folio of the oldest generation promoted", () => {
  it("7.3 turns both kinds round and protects both", () => {
    const one = mixed(stock);
    const before = averageOf(one);
    expect(one.age(9)).toMatchObject({
      promoted: 3000,
      moved: 9000,
      splices: 0,
      order: "reversed",
      promotedOrder: "reversed",
      avgTotal: Math.floor((before + 9000) / 2),
    });
  });

  it("the series keeps the order of those that stay, a run between promoted ones each (S1-06, S1-07)", () => {
    const one = mixed(series);
    expect(one.age(9)).toMatchObject({ promoted: 3000, moved: 9000, order: "kept" });
    // Gen 6..8: 9,000 folios in three holds. Gen 9: 3,000 runs of two, of which the second hold's
    // end (8,192 = 2 modulo 3) cuts one in two.
    expect(one.guest.system.mglru.aging.counts.splices).toBe(3 * 3 + 3000 + 1);
  });

  it("the series protects only those that stay (S1-04)", () => {
    const one = mixed(series);
    const before = averageOf(one);
    expect(one.age(9).avgTotal).toBe(Math.floor((before + 6000) / 2));
  });

  it("the series puts promoted ones at the head of max_seq's list, the last visited first (S1-03)", () => {
    const one = mixed(series);
    const order = pagesOn(one, 6).filter((page) => page % 3 === 0);
    one.age(9);
    expect(pagesOn(one, 9)).toEqual(order.toReversed());
  });
});

const averageOf = ({ guest }: IncMinSeqProgram): number =>
  guest.memcg.lruvecs[0]!.lrugen.avgTotal[MAX_NR_TIERS - 1]!;

/** Pages of a generation's anon list in DMA32, head to tail. */
const pagesOn = ({ guest }: IncMinSeqProgram, seq: number): number[] => {
  const { lrugen } = guest.memcg.lruvecs[0]!;
  const { folios, lists, allocator } = guest.system.memory;
  const zones = lrugen.nrPages.length / (2 * MAX_NR_GENS);
  const zone = allocator.zoneOf(0);
  const head = lrugen.listHead + (seq % MAX_NR_GENS) * 2 * zones + zone;
  return [...lists.walk(head)].map((folio) => folios.index[folio]! - guest.regions[0]!.start);
};
