import {
  LRU_ACTIVE_ANON,
  LRU_INACTIVE_ANON,
  LRU_REFS_PGOFF,
  PG_DIRTY,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { genFromSeq, LruGenMmWalk, Promotion } from "../../src/index.ts";
import { Machine, SHMEM } from "../machine.ts";

const ANON = PG_SWAPBACKED;
const refs = (extra: number): number => PG_REFERENCED | (extra << LRU_REFS_PGOFF);

class Walked {
  readonly m = new Machine();
  readonly promotion = new Promotion(this.m.memory);
  readonly walk = new LruGenMmWalk();

  constructor() {
    this.walk.begin(this.m.lruvec, 3, 60, false);
  }

  /** One observation of a folio, to be promoted to slot `newGen`. */
  see(folio: number, { executable = false, dirty = false, newGen = 3 } = {}): string {
    this.promotion.walkUpdateFolio(this.walk, folio, executable, newGen, dirty);
    return this.m.state(folio);
  }

  /** Pending changes that are not 0: slot, type and pages. */
  get pending(): (readonly [gen: number, type: number, pages: number])[] {
    return [...this.walk.nrPages.entries()]
      .filter(([, pages]) => pages !== 0)
      .map(([i, pages]) => [Math.floor(i / 10), Math.floor(i / 5) % 2, pages] as const);
  }
}

describe("the first observation only marks (PROMO-02, PROMO-04, MINV-17)", () => {
  test.each([
    ["anon", ANON, false],
    ["a file", 0, false],
    ["anon in an executable mapping", ANON, true],
    ["a leftover count, which is erased (MINV-20)", 3 << LRU_REFS_PGOFF, false],
  ])("%s", (_name, flags, executable) => {
    const w = new Walked();
    const folio = w.m.onList(1, flags);
    expect(w.see(folio, { executable })).toBe("gen 1 R");
    expect([w.walk.batched, w.pending, w.promotion.promoted]).toEqual([0, [], 0]);
  });
});

describe("what promotes at once (PROMO-02, PROMO-06, MINV-18)", () => {
  test.each([
    ["a referenced folio, as every faulted one is (PROMO-04)", ANON | refs(0), false],
    ["one with more accesses", refs(3), false],
    ["a workingset folio (PROMO-06)", ANON | PG_WORKINGSET, false],
    ["a saturated one", PG_WORKINGSET | refs(3), false],
    ["an executable file at first sight", 0, true],
    ["... with a leftover count", 2 << LRU_REFS_PGOFF, true],
  ])("%s", (_name, flags, executable) => {
    const w = new Walked();
    const folio = w.m.onList(1, flags);
    const type = flags & ANON ? 0 : 1;
    expect(w.see(folio, { executable })).toBe("gen 3 W");
    expect([w.walk.batched, w.promotion.promoted]).toEqual([1, 1]);
    expect(w.pending).toEqual([
      [1, type, -1],
      [3, type, 1],
    ]);
  });

  test("the folio stays on its list, and its size where it was (PROMO-03, SZB-03)", () => {
    const w = new Walked();
    const folio = w.m.onList(1, ANON | PG_REFERENCED);
    w.see(folio);
    expect([w.m.list(1), w.m.list(3), w.m.pages(1), w.m.pages(3)]).toEqual([[folio], [], 1, 0]);
  });

  test("a folio already in the youngest generation loses its counts, but moves nothing (PROMO-02)", () => {
    const w = new Walked();
    const folio = w.m.onList(3, ANON | refs(2));
    expect(w.see(folio)).toBe("gen 3 W");
    expect([w.walk.batched, w.pending, w.promotion.promoted]).toEqual([0, [], 0]);
  });

  test("a folio that is on no list is marked, never promoted (PROMO-02)", () => {
    const w = new Walked();
    const [fresh, seen] = [w.m.folio(ANON), w.m.folio(ANON | PG_REFERENCED)];
    expect([w.see(fresh), w.see(seen)]).toEqual(["gen -1 R", "gen -1 R"]);
    expect(w.walk.batched).toBe(0);
  });

  test("two observations in one pass take both steps (PROMO-05)", () => {
    const w = new Walked();
    const folio = w.m.onList(0, 0);
    expect([w.see(folio), w.see(folio), w.see(folio)]).toEqual(["gen 0 R", "gen 3 W", "gen 3 W"]);
    expect(w.promotion.promoted).toBe(1);
  });

  test("every flag but GEN, REFS, referenced and workingset survives (MINV-18)", () => {
    const w = new Walked();
    const folio = w.m.onList(2, ANON | PG_SWAPCACHE | PG_DIRTY | PG_REFERENCED);
    const before = w.m.flags(folio);
    w.see(folio);
    w.m.setGen(folio, 2);
    expect(w.m.flags(folio)).toBe((before & ~PG_REFERENCED) | PG_WORKINGSET);
  });
});

describe("a dirty PTE (PROMO-01)", () => {
  test.each([
    ["a file", 0, null, true],
    ["anon without swap", ANON, null, false],
    ["anon in the swap cache", ANON | PG_SWAPCACHE, null, true],
    ["lazily freed anon", 0, 3, true],
    ["shared memory", ANON, SHMEM.id * 2, true],
    ["shared memory in the swap cache", ANON | PG_SWAPCACHE, SHMEM.id * 2, true],
  ])("makes %s dirty: %4$s", (_name, flags, mapping, dirty) => {
    const w = new Walked();
    const folio = w.m.onList(1, flags);
    w.m.memory.folios.mapping[folio] = mapping ?? (flags & ANON ? 3 : 2);
    expect(w.see(folio, { dirty: true })).toBe(dirty ? "gen 1 R D" : "gen 1 R");
    expect(w.see(folio)).toBe(dirty ? "gen 3 W D" : "gen 3 W");
  });

  test("a folio that is dirty stays dirty", () => {
    const w = new Walked();
    const folio = w.m.onList(1, PG_DIRTY);
    expect([w.see(folio, { dirty: true }), w.see(folio)]).toEqual(["gen 1 R D", "gen 3 W D"]);
  });
});

describe("sizes wait in the walk (SZB-01..SZB-04)", () => {
  test("in pages, the folios counted apart (SZB-01, CONV-01)", () => {
    const w = new Walked();
    w.see(w.m.onList(1, ANON | PG_REFERENCED, 3));
    w.see(w.m.onList(1, ANON | PG_REFERENCED));
    w.see(w.m.onList(2, PG_REFERENCED, 9));
    expect(w.pending).toEqual([
      [1, 0, -9],
      [2, 1, -512],
      [3, 0, 9],
      [3, 1, 512],
    ]);
    expect(w.walk.batched).toBe(3);
  });

  test("a flush moves them, and the walk is empty after it (SZB-04)", () => {
    const w = new Walked();
    for (let i = 0; i < 3; i++) w.see(w.m.onList(1, ANON | PG_REFERENCED, 2));
    w.m.onList(1);
    w.promotion.resetBatchSize(w.walk);
    expect([0, 1, 2, 3].map((gen) => w.m.pages(gen))).toEqual([0, 1, 0, 12]);
    expect([w.walk.batched, w.pending]).toEqual([0, []]);
    w.promotion.resetBatchSize(w.walk);
    expect(w.m.pages(3)).toBe(12);
  });

  test.each([
    [1, 3, 0, 2],
    [2, 3, 0, 2],
    [0, 1, 2, 0],
  ])(
    "from slot %i to %i the classic counters end at %i inactive, %i active (SZB-04)",
    (from, newGen, inactive, active) => {
      const w = new Walked();
      w.see(w.m.onList(from, ANON | PG_REFERENCED, 1), { newGen });
      w.promotion.resetBatchSize(w.walk);
      const sizes = [LRU_INACTIVE_ANON, LRU_ACTIVE_ANON].map((lru) => w.m.lruvec.sizeOf(lru));
      expect(sizes).toEqual([inactive, active]);
    },
  );

  test("the window at the flush decides which generations are active (SZB-04, PROMO-07)", () => {
    const w = new Walked();
    w.see(w.m.onList(1, ANON | PG_REFERENCED));
    // Another walker opened two generations meanwhile: slot 3 is no longer active, slot 1 is.
    w.m.lruvec.lrugen.maxSeq = 5;
    w.m.lruvec.lruSize.fill(0);
    w.promotion.resetBatchSize(w.walk);
    expect([LRU_INACTIVE_ANON, LRU_ACTIVE_ANON].map((lru) => w.m.lruvec.sizeOf(lru))).toEqual([
      1, -1,
    ]);
    expect(genFromSeq(5)).toBe(1);
  });

  test("a folio that leaves before the flush drives its new slot below zero for a while (SZB-03)", () => {
    const w = new Walked();
    const folio = w.m.onList(1, ANON | PG_REFERENCED, 2);
    w.see(folio);
    w.m.isolate(folio);
    expect([w.m.pages(1), w.m.pages(3)]).toEqual([4, -4]);
    w.promotion.resetBatchSize(w.walk);
    expect([w.m.pages(1), w.m.pages(3)]).toEqual([0, 0]);
    expect([...w.m.lruvec.lruSize].every((size) => size === 0)).toBe(true);
  });
});
