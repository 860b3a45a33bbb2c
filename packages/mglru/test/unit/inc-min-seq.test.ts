import {
  LRU_REFS_PGOFF,
  PG_ACTIVE,
  PG_DIRTY,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  singleNode,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { GenerationLists, IncMinSeq, type IncMinSeqFeatures } from "../../src/index.ts";
import { DMA32, featuresOn, Machine } from "../machine.ts";

const ANON = PG_SWAPBACKED;
const refs = (extra: number): number => PG_REFERENCED | (extra << LRU_REFS_PGOFF);

type Switch = keyof IncMinSeqFeatures;

const SERIES = [
  "splitAccounting",
  "batchSizes",
  "promotedAhead",
  "promotedNotProtected",
  "prefetchInline",
  "headToTail",
  "spliceRuns",
] as const satisfies readonly Switch[];

/** A machine and its oldest generation, seq 0, to be emptied into seq 1. */
class Oldest {
  readonly m: Machine;
  readonly oldest: IncMinSeq;

  constructor(features: readonly Switch[] = [], pages = 2048) {
    this.m = new Machine({ nodes: singleNode(pages) });
    const { memory } = this.m;
    this.oldest = new IncMinSeq(memory, new GenerationLists(memory), featuresOn(features));
  }

  /** A folio that a walk promoted to seq 3, accounted there, and still linked in seq 0. */
  promoted(flags = ANON | PG_WORKINGSET, order = 0): number {
    const folio = this.m.onList(0, flags, order);
    const generations = new GenerationLists(this.m.memory);
    generations.updateSize(this.m.lruvec, flags & ANON ? 0 : 1, DMA32, 1 << order, 0, 3);
    this.m.setGen(folio, 3);
    return folio;
  }

  inc(type = 0, swappiness = 60): boolean {
    const { m } = this;
    m.cpu.acquire(m.lruvec.lock);
    const done = this.oldest.incMinSeq(m.cpu, m.lruvec, type, swappiness);
    m.cpu.release(m.lruvec.lock);
    return done;
  }

  /** Pages protected so far, by tier, as the carry-over halves them. */
  get avgTotal(): number[] {
    return [...this.m.lruvec.lrugen.avgTotal];
  }
}

describe("a folio that moves (AGE-12, MINV-19)", () => {
  test.each([
    ["a fresh one", 0, "gen 1"],
    ["a referenced one forgets it", refs(0), "gen 1"],
    ["a counted one forgets it", refs(2), "gen 1"],
    ["workingset stays", PG_WORKINGSET | refs(1), "gen 1 W"],
    ["a leftover count is erased (MINV-20)", 3 << LRU_REFS_PGOFF, "gen 1"],
    ["other flags stay", PG_DIRTY | refs(3), "gen 1 D"],
  ])("%s", (_name, flags, expected) => {
    for (const features of [[], SERIES]) {
      const o = new Oldest(features);
      const folio = o.m.onList(0, ANON | flags, 1);
      expect([o.inc(), o.m.state(folio), o.m.list(1)]).toEqual([true, expected, [folio]]);
      expect([o.m.pages(0), o.m.pages(1)]).toEqual([0, 2]);
    }
  });

  test("generations wrap around: seq 3 becomes seq 4 in slot 0", () => {
    const o = new Oldest();
    o.m.lruvec.lrugen.maxSeq = 6;
    o.m.lruvec.lrugen.minSeq.fill(3);
    const folio = o.m.onList(3);
    o.inc();
    expect([o.m.state(folio), o.m.list(4)]).toEqual(["gen 0", [folio]]);
  });

  test("an active folio on a list is a defect and is reported, not carried on (S1-01, MINV-05)", () => {
    const o = new Oldest();
    o.m.memory.folios.flags[o.m.onList(0)]! |= PG_ACTIVE;
    o.m.cpu.acquire(o.m.lruvec.lock);
    expect(() => o.oldest.incMinSeq(o.m.cpu, o.m.lruvec, 0, 60)).toThrow("active folio");
  });
});

/** Old generation a, b, c, d and next one x, y, head to tail; where everything is after. */
function letters(features: readonly Switch[]): string {
  const o = new Oldest(features);
  const names = new Map<number, string>();
  for (const name of ["y", "x"]) names.set(o.m.onList(1), name);
  for (const name of ["d", "c", "b", "a"]) names.set(o.m.onList(0), name);
  o.inc();
  return o.m
    .list(1)
    .map((folio) => names.get(folio))
    .join("");
}

/** Promoted folios P, Q among a..d, and z already in the youngest; that one's list after. */
function youngest(features: readonly Switch[]): string {
  const o = new Oldest(features);
  const names = new Map<number, string>([[o.m.onList(3), "z"]]);
  for (const name of ["d", "Q", "c", "b", "P", "a"]) {
    names.set(/[A-Z]/.test(name) ? o.promoted() : o.m.onList(0), name);
  }
  o.inc();
  expect(o.m.list(1)).toHaveLength(4);
  return o.m
    .list(3)
    .map((folio) => names.get(folio))
    .join("");
}

describe("order (AGE-13, S1-06, MINV-36)", () => {
  test("stock reverses the old list behind the next one", () => {
    expect(letters([])).toBe("xydcba");
  });

  test.each([[["headToTail"]], [["headToTail", "spliceRuns"]], [SERIES]] as const)(
    "%j keeps it",
    (features) => {
      expect(letters(features)).toBe("xyabcd");
    },
  );

  test.each(SERIES.slice(0, 5))("%s alone still reverses (S1-10)", (name) => {
    expect(letters([name])).toBe("xydcba");
  });

  test("stock puts promoted folios at the cold end of their generation (AGE-13)", () => {
    expect(youngest([])).toBe("zQP");
  });

  test("promotedAhead puts them at the hot end, one by one (S1-03)", () => {
    expect(youngest(["promotedAhead"])).toBe("PQz");
    expect(youngest(["promotedAhead", "headToTail"])).toBe("QPz");
    expect(youngest(SERIES)).toBe("QPz");
  });

  test("headToTail without promotedAhead leaves them at the cold end (S1-10)", () => {
    expect(youngest(["headToTail"])).toBe("zPQ");
    expect(youngest(["headToTail", "spliceRuns"])).toBe("zPQ");
  });
});

describe("a promoted folio (AGE-12, MINV-03)", () => {
  test.each([[[]], [SERIES]])("with %j moves to the list its flags name, unchanged", (features) => {
    const o = new Oldest(features);
    const folio = o.promoted(ANON | PG_WORKINGSET | PG_DIRTY, 2);
    const before = o.m.flags(folio);
    o.inc();
    expect([o.m.flags(folio), o.m.list(3), o.m.list(1)]).toEqual([before, [folio], []]);
    expect([o.m.pages(0), o.m.pages(1), o.m.pages(3)]).toEqual([0, 0, 4]);
  });
});

const withSwitch = (...features: Switch[]): number[] => {
  const o = new Oldest(features);
  o.promoted(ANON | PG_WORKINGSET, 2);
  o.m.onList(0);
  o.m.onList(0);
  o.inc();
  return o.avgTotal.slice(0, 4);
};

describe("protected pages", () => {
  test.each([
    ["no access", 0, [4, 0, 0, 0]],
    ["one access", refs(0), [4, 0, 0, 0]],
    ["two accesses", refs(1), [0, 4, 0, 0]],
    ["three accesses", refs(2), [0, 0, 4, 0]],
    ["four accesses", refs(3), [0, 0, 4, 0]],
    ["a leftover count", 3 << LRU_REFS_PGOFF, [4, 0, 0, 0]],
    ["workingset", PG_WORKINGSET, [0, 0, 0, 4]],
    ["workingset and three accesses", PG_WORKINGSET | refs(2), [0, 0, 0, 4]],
    ["saturated: not counted at all (MAP-05)", PG_WORKINGSET | refs(3), [0, 0, 0, 0]],
  ])("%s: tiers %j, after the carry-over (AGE-10, MAP-04)", (_name, flags, halved) => {
    for (const features of [[], ["headToTail"], SERIES] as const) {
      const o = new Oldest(features);
      o.m.onList(0, flags, 3);
      o.inc(1);
      expect([o.avgTotal, o.m.state(o.m.list(1, 1)[0]!)]).toEqual([
        [0, 0, 0, 0, ...halved],
        flags & PG_WORKINGSET ? "gen 1 W" : "gen 1",
      ]);
    }
  });

  test("promoted folios count in tier 3 (AGE-14), unless promotedNotProtected (S1-04)", () => {
    expect(withSwitch()).toEqual([1, 0, 0, 2]);
    for (const order of [[], ["headToTail"], ["headToTail", "spliceRuns"]] as Switch[][]) {
      expect(withSwitch(...order)).toEqual([1, 0, 0, 2]);
      expect(withSwitch("promotedNotProtected", ...order)).toEqual([1, 0, 0, 0]);
    }
  });

  test("a promoted folio that was read since counts by what its flags say now", () => {
    const o = new Oldest();
    o.promoted(PG_WORKINGSET | refs(3));
    o.promoted(PG_WORKINGSET | refs(1), 1);
    o.inc(1);
    expect(o.avgTotal.slice(4)).toEqual([0, 0, 0, 1]);
  });

  test("the history carried over is that of the type alone, and starts over (CTRL-02, MINV-15)", () => {
    const o = new Oldest();
    const { lrugen } = o.m.lruvec;
    lrugen.protected.fill(6);
    lrugen.evicted.fill(2);
    o.inc();
    expect(o.avgTotal).toEqual([4, 4, 4, 4, 0, 0, 0, 0]);
    expect([...lrugen.protected]).toEqual([0, 0, 0, 0, 6, 6, 6, 6]);
    expect([...lrugen.minSeq]).toEqual([1, 0]);
  });
});

describe("a type that is not evictable (AGE-10, AGE-11)", () => {
  test.each([
    ["anon under swappiness 0", 0, 0],
    ["file under swappiness 201", 1, 201],
  ])("%s: only min_seq moves", (_name, type, swappiness) => {
    const o = new Oldest();
    const folio = o.m.onList(0, (type === 0 ? ANON : 0) | refs(1));
    expect([o.inc(type, swappiness), o.m.list(0, type), o.m.state(folio)]).toEqual([
      true,
      [folio],
      "gen 0 R r1",
    ]);
    expect([o.m.lruvec.lrugen.minSeq[type], o.oldest.moved]).toEqual([1, 0]);
    expect(o.avgTotal.every((total) => total === 0)).toBe(true);
    expect(o.m.lruvec.lrugen.gaveUpPopulated).toEqual([type === 0, type === 1]);
  });

  test("an empty generation of it is no loss", () => {
    const o = new Oldest();
    o.inc(0, 0);
    expect(o.m.lruvec.lrugen.gaveUpPopulated).toEqual([false, false]);
  });

  test.each([
    ["file under swappiness 0", 1, 0],
    ["anon under swappiness 201", 0, 201],
  ])("%s moves as usual", (_name, type, swappiness) => {
    const o = new Oldest();
    const folio = o.m.onList(0, type === 0 ? ANON : 0);
    expect([o.inc(type, swappiness), o.m.list(1, type)]).toEqual([true, [folio]]);
  });
});

describe("the budget of one lock hold (AGE-10, S1-08)", () => {
  test.each([[[]], [["headToTail"]], [SERIES]] as const)(
    "with %j is 4,096 folios, promoted or not; reaching it is not finished",
    (features) => {
      const o = new Oldest(features, 8192);
      for (let i = 0; i < 2048; i++) {
        o.m.onList(0);
        o.promoted();
      }
      expect([o.inc(), o.m.lruvec.lrugen.minSeq[0], o.m.list(0)]).toEqual([false, 0, []]);
      expect([o.inc(), o.m.lruvec.lrugen.minSeq[0], o.oldest.moved]).toEqual([true, 1, 4096]);
    },
  );

  test("is counted in folios, not pages (CONV-01)", () => {
    const o = new Oldest([], 16_384);
    for (let i = 0; i < 2100; i++) o.m.onList(0, ANON, 2);
    expect([o.inc(), o.m.pages(1)]).toEqual([true, 8400]);
  });

  test("is one for all zones, which are emptied in ascending order", () => {
    const nodes = [
      {
        zones: [
          { zone: 1, pages: 4096 },
          { zone: 2, pages: 4096 },
        ],
      },
    ];
    const m = new Machine({ nodes });
    const oldest = new IncMinSeq(m.memory, new GenerationLists(m.memory), featuresOn([]));
    for (let i = 0; i < 7000; i++) m.onList(0);
    const [dma32, normal] = [m.list(0, 0, 1).length, m.list(0, 0, 2).length];
    expect(oldest.incMinSeq(m.cpu, m.lruvec, 0, 60)).toBe(false);
    expect([m.list(0, 0, 1).length, m.list(0, 0, 2).length]).toEqual([0, 7000 - 4096]);
    expect(oldest.incMinSeq(m.cpu, m.lruvec, 0, 60)).toBe(true);
    expect([m.list(1, 0, 1).length, m.list(1, 0, 2).length]).toEqual([dma32, normal]);
  });

  test.each([[[]], [["batchSizes"]], [["headToTail", "batchSizes"]], [SERIES]] as const)(
    "with %j leaves sizes that agree with the flags whenever the lock is free (S1-02, MINV-01)",
    (features) => {
      const o = new Oldest(features, 8192);
      for (let i = 0; i < 5000; i++) o.m.onList(0);
      o.inc();
      expect([o.m.pages(0), o.m.pages(1)]).toEqual([904, 4096]);
      o.inc();
      expect([o.m.pages(0), o.m.pages(1)]).toEqual([0, 5000]);
    },
  );
});

const splices = (pattern: string, features: readonly Switch[] = SERIES): number => {
  const o = new Oldest(features);
  for (const letter of pattern.split("").toReversed()) {
    if (letter === "P") o.promoted();
    else o.m.onList(0, ANON | (letter === "r" ? PG_REFERENCED : 0));
  }
  o.inc();
  expect(o.oldest.moved).toBe(pattern.length);
  return o.oldest.splices;
};

describe("runs (S1-07)", () => {
  test.each([
    ["", 0],
    ["a", 1],
    ["aaaa", 1],
    ["arra", 1],
    ["P", 0],
    ["PPP", 0],
    ["aPa", 2],
    ["PaaP", 1],
    ["aPPPa", 2],
    ["aPaPa", 3],
  ])("of %j: %i splices", (pattern, count) => {
    expect(splices(pattern)).toBe(count);
  });

  test("without the switch nothing is spliced", () => {
    expect(splices("aaaa", ["headToTail"])).toBe(0);
  });

  test("the budget cuts a run", () => {
    const o = new Oldest(SERIES, 8192);
    for (let i = 0; i < 5000; i++) o.m.onList(0);
    expect([o.inc(), o.oldest.splices, o.inc(), o.oldest.splices]).toEqual([false, 1, true, 2]);
  });

  test("each folio of a run keeps its own tier and workingset flag", () => {
    const o = new Oldest(SERIES);
    const words = [0, refs(1), refs(1), PG_WORKINGSET, refs(2), 0, PG_WORKINGSET | refs(3), 0];
    const folios = words.map((word) => o.m.onList(0, word, 1)).toReversed();
    o.inc(1);
    expect(o.m.list(1, 1)).toEqual(folios);
    expect(o.avgTotal.slice(4)).toEqual([3, 2, 1, 1]);
    const workingset = folios.map((folio) => o.m.state(folio) === "gen 1 W");
    expect(workingset).toEqual([false, true, false, false, true, false, false, false]);
  });
});
