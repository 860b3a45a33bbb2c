import {
  LRU_FILE,
  LRU_REFS_PGOFF,
  PG_ACTIVE,
  PG_DIRTY,
  PG_LRU,
  PG_MLOCKED,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  VM_READ,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { LruGenMmWalk } from "../../src/index.ts";
import { FILE, Machine, REGION } from "../machine.ts";
import { mapPtes } from "../mapping.ts";

/** One batch of memcg /t. @returns pages scanned */
function evict(m: Machine, nr = 64, swappiness = 60, sc = m.scanControl()): number {
  return m.policy.eviction.evictFolios(nr, m.lruvec, sc, swappiness);
}

/** `count` file folios in a generation, the first one coldest. */
function files(m: Machine, seq: number, count: number, flags = 0): number[] {
  return Array.from({ length: count }, () => m.onList(seq, flags));
}

/** Page numbers from one to the other, both included. */
function pagesFrom(from: number, to: number): number[] {
  const step = Math.sign(to - from);
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + step * i);
}

describe("evictFolios", () => {
  test("frees the coldest folios first and returns the pages it looked at (EVT-01, EVT-40)", () => {
    const m = new Machine();
    const [a, b] = files(m, 0, 3);
    const sc = m.scanControl();
    expect([evict(m, 2, 60, sc), sc.nrReclaimed]).toEqual([2, 2]);
    expect(m.reclaimer.batches).toEqual([[a, b]]);
    expect(m.events).toEqual({
      pgscan_direct: 2,
      pgscan_file: 2,
      pgsteal_direct: 2,
      pgsteal_file: 2,
    });
  });

  test("moves min_seq past empty generations first, and again after the scan (EVT-01, AGE-22)", () => {
    const m = new Machine();
    files(m, 1, 1);
    expect([evict(m, 64, 0), [...m.lruvec.lrugen.minSeq]]).toEqual([1, [0, 2]]);
  });

  test("returns 0 when only the two youngest generations are left (EVT-10)", () => {
    const m = new Machine();
    files(m, 2, 3);
    m.onList(2, PG_SWAPBACKED);
    expect([evict(m), m.reclaimer.batches]).toEqual([0, []]);
  });

  test("turns to the other type when the first has nothing to scan (EVT-02)", () => {
    const m = new Machine();
    const anon = m.onList(0, PG_SWAPBACKED);
    expect([evict(m), m.reclaimer.processed]).toEqual([1, [anon]]);
  });

  test("stays on the type when something was scanned but nothing isolated (EVT-02)", () => {
    const m = new Machine();
    const [promoted] = files(m, 0, 1);
    m.setGen(promoted!, 3);
    m.onList(0, PG_SWAPBACKED);
    expect([evict(m), m.reclaimer.processed, m.list(0).length]).toEqual([1, [], 1]);
  });

  test.each([
    [0, "file"],
    [1, "file"],
    [200, "anon"],
    [201, "anon"],
  ])("swappiness %i begins with %s (EVT-03)", (swappiness, first) => {
    const m = new Machine();
    const by = { anon: m.onList(0, PG_SWAPBACKED), file: m.onList(0, 0) };
    evict(m, 1, swappiness);
    expect(m.reclaimer.processed).toEqual([by[first as "anon" | "file"]]);
  });

  test.each([
    [0, PG_SWAPBACKED],
    [201, 0],
  ])("swappiness %i never touches the other type (EVT-03)", (swappiness, flags) => {
    const m = new Machine();
    m.onList(0, flags);
    expect([evict(m, 64, swappiness), m.reclaimer.processed]).toEqual([0, []]);
  });

  test("evicted pages are counted in their tier, and remembered (RFT-03, MINV-27)", () => {
    const m = new Machine();
    const folio = m.onList(0, PG_REFERENCED | (1 << LRU_REFS_PGOFF));
    evict(m);
    expect([...m.lruvec.lrugen.evicted.subarray(4)]).toEqual([0, 1, 0, 0]);
    expect([...m.reclaimer.shadows.keys()]).toEqual([folio]);
  });

  test("reads pages 0..61, ages twice: 60..31, 29..0, 30, 61 go in this order (GT-05)", () => {
    const m = new Machine();
    const pages = Array.from({ length: 62 }, (_, page) => {
      // Every 31st add drains before its read marks the page.
      const flags = page % 31 === 30 ? 0 : PG_REFERENCED;
      return m.add(m.folio(flags));
    });
    m.age();
    m.age();
    const order: number[] = [];
    while (m.write(`- 28 0 ${m.lruvec.lrugen.maxSeq - 2} 0 1`) > 0) {
      if (m.reclaimer.processed.length === order.length) break;
      order.push(pages.indexOf(m.reclaimer.processed.at(-1)!));
    }
    expect(order).toEqual([...pagesFrom(60, 31), ...pagesFrom(29, 0), 30, 61]);
  });

  test("with the whole series the order of the list survives (GT-05, S1-06)", () => {
    const m = new Machine({
      features: ["headToTail", "promotedAhead", "batchSizes", "spliceRuns"],
    });
    const pages = Array.from({ length: 62 }, (_, page) =>
      m.add(m.folio(page % 31 === 30 ? 0 : PG_REFERENCED)),
    );
    m.age();
    m.age();
    m.write(`- 28 0 ${m.lruvec.lrugen.maxSeq - 2} 0`);
    const order = m.reclaimer.processed.map((folio) => pages.indexOf(folio));
    expect(order).toEqual([30, 61, ...pagesFrom(0, 29), ...pagesFrom(31, 60)]);
  });
});

describe("writeback", () => {
  test.each([
    ["all isolated pages are dirty and nobody writes them", 3, 1],
    ["some are not", 2, 0],
  ])("%s: decides about waking the flushers (EVT-40)", (_what, dirty, flushes) => {
    const m = new Machine();
    files(m, 0, 3, PG_DIRTY);
    m.reclaimer.fate = () => "activate";
    m.reclaimer.unqueuedDirty = dirty;
    evict(m);
    expect(m.reclaimer.flushes).toBe(flushes);
  });
});

describe("survivors", () => {
  test("that are clean and unmapped are tried once more, in their order (EVT-41, EVT-48)", () => {
    const m = new Machine();
    const [a, b, c] = files(m, 0, 3);
    const attempts = new Map<number, number>();
    m.reclaimer.fate = (folio) => {
      attempts.set(folio, (attempts.get(folio) ?? 0) + 1);
      return folio === b || attempts.get(folio) === 2 ? "free" : "keep";
    };
    evict(m);
    expect(m.reclaimer.batches).toEqual([
      [a, b, c],
      [a, c],
    ]);
    expect(m.events["pgsteal_file"]).toBe(3);
    expect(m.events["pgrotate_file"]).toBeUndefined();
  });

  test("are tried no third time; they are put back active (EVT-48, EVT-42)", () => {
    const m = new Machine();
    const [folio] = files(m, 0, 1);
    m.reclaimer.fate = () => "keep";
    evict(m);
    expect([m.reclaimer.batches.length, m.state(folio!)]).toEqual([2, "gen 2"]);
    expect(m.events).toMatchObject({ pgscan_file: 1, pgrotate_file: 1 });
  });

  test.each([
    ["dirty", PG_DIRTY],
    ["active", PG_ACTIVE],
  ])("that are %s are not tried again (EVT-41)", (_what, flags) => {
    const m = new Machine();
    const [folio] = files(m, 0, 1);
    m.reclaimer.fate = () => "keep";
    m.reclaimer.afterwards = () => {
      m.memory.folios.flags[folio!]! |= flags;
    };
    evict(m);
    expect(m.reclaimer.batches.length).toBe(1);
  });

  test("that are mapped are not tried again (EVT-41)", () => {
    const m = new Machine();
    const folio = m.onList(0, 0);
    const vma = m.vma(m.mm(), REGION, 4, VM_READ, FILE);
    mapPtes(m.memory, vma, REGION, folio, "o");
    m.reclaimer.fate = () => "keep";
    evict(m);
    expect([m.reclaimer.batches.length, m.state(folio)]).toEqual([1, "gen 2"]);
  });

  test("never return to the oldest generation: they get PG_active, accesses forgotten (EVT-41, EVT-42, MINV-25)", () => {
    const m = new Machine();
    m.age();
    // Generations 1..4; a referenced file folio would go to 4 - 2 = 2, an unreferenced one to 1.
    const cold = m.onList(1, PG_DIRTY);
    const seen = m.onList(1, PG_DIRTY | PG_REFERENCED);
    m.onList(1, 0);
    m.reclaimer.fate = (folio) => (folio === cold || folio === seen ? "keep" : "free");
    evict(m, 2);
    expect([m.state(cold), m.state(seen)]).toEqual(["gen 3 D", "gen 2 R D"]);
  });

  test("with PG_workingset go to the youngest generation once active (EVT-42, ADD-02 row 1)", () => {
    const m = new Machine();
    const folio = m.onList(0, PG_DIRTY | PG_WORKINGSET);
    m.reclaimer.fate = () => "activate";
    evict(m);
    expect(m.state(folio)).toBe("gen 3 W D");
  });

  test("keep their order, ahead of what is there (EVT-45, MINV-26)", () => {
    const m = new Machine();
    const older = m.onList(2, 0);
    const [a, b, c] = files(m, 0, 3, PG_DIRTY);
    m.reclaimer.fate = () => "activate";
    evict(m);
    expect(m.list(2, LRU_FILE)).toEqual([c, b, a, older]);
    expect(m.memory.folios.refcount[a!]).toBe(1);
    expect(m.flags(a!) & (PG_LRU | PG_ACTIVE)).toBe(PG_LRU);
  });

  test("whose last reference is the isolation are freed at putback (EVT-45)", () => {
    const m = new Machine();
    const [folio] = files(m, 0, 1, PG_DIRTY);
    const { charged } = m.memcg;
    m.reclaimer.fate = () => "keep";
    m.reclaimer.afterwards = () => {
      m.memory.folios.refcount[folio!]! -= 1;
    };
    evict(m);
    expect([m.memcg.charged, m.pages(2, LRU_FILE)]).toEqual([charged - 1, 0]);
  });

  test("that became unevictable go through the batches, unjudged (EVT-41, EVT-45)", () => {
    const m = new Machine();
    const [folio] = files(m, 0, 1);
    m.reclaimer.fate = () => "keep";
    m.reclaimer.afterwards = () => {
      m.memory.folios.flags[folio!]! |= PG_MLOCKED;
    };
    evict(m);
    expect([m.batches.added, m.state(folio!), m.reclaimer.batches.length]).toEqual([
      [folio],
      "gen -1",
      1,
    ]);
  });
});

describe("the walk structure of the reclaimer", () => {
  test("is flushed after the putback when look-around used it (EVT-47, SZB-06)", () => {
    const m = new Machine();
    const [cold, warm] = files(m, 0, 2, PG_REFERENCED);
    const walk = new LruGenMmWalk();
    const sc = m.scanControl();
    sc.policyWalk = walk;
    m.reclaimer.afterwards = () => {
      m.policy.aging.promotion.walkUpdateFolio(walk, warm!, false, 3, false);
    };
    m.policy.eviction.evictFolios(1, m.lruvec, sc, 60);
    expect(m.reclaimer.processed).toEqual([cold]);
    expect([walk.batched, m.pages(3, LRU_FILE), m.pages(0, LRU_FILE)]).toEqual([0, 1, 0]);
  });
});
