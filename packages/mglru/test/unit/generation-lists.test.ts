import {
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  MAX_NR_ZONES,
  NIL,
  PG_ACTIVE,
  PG_DIRTY,
  PG_RECLAIM,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  PG_WORKINGSET,
  PG_WRITEBACK,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { folioLruGen, GenerationLists, genFromSeq } from "../../src/index.ts";
import { DMA32, Machine } from "../machine.ts";

const ANON = PG_SWAPBACKED;

/** Where a folio with these flags lands: its generation, as max_seq minus something. */
function placeOf(flags: number, reclaiming: boolean, minSeq = 7): number {
  const m = new Machine();
  m.lruvec.lrugen.maxSeq = 10;
  m.lruvec.lrugen.minSeq.fill(minSeq);
  const folio = m.add(m.folio(flags), reclaiming);
  const type = flags & ANON ? 0 : 1;
  const back = [0, 1, 2, 3].find((each) => m.list(10 - each, type).includes(folio))!;
  expect(folioLruGen(m.flags(folio))).toBe(genFromSeq(10 - back));
  return back;
}

/** ADD-02 as the table says it: conditions in order, and how far from max_seq each lands. */
const ROWS: readonly (readonly [(flags: number, reclaiming: boolean) => boolean, number])[] = [
  [(flags) => (flags & PG_ACTIVE) !== 0 && (flags & PG_WORKINGSET) !== 0, 0],
  [(flags) => (flags & PG_ACTIVE) !== 0, 1],
  [(_flags, reclaiming) => reclaiming, 3],
  [(flags) => (flags & ANON) !== 0 && (flags & PG_SWAPCACHE) === 0, 1],
  [(flags) => (flags & PG_RECLAIM) !== 0 && (flags & (PG_DIRTY | PG_WRITEBACK)) !== 0, 1],
  [(flags) => (flags & (PG_WORKINGSET | PG_REFERENCED)) !== 0, 2],
  [() => true, 3],
];

describe("which generation an added folio goes to (ADD-02, FOL-30)", () => {
  test.each([
    ["row 1: active and workingset, the youngest", PG_ACTIVE | PG_WORKINGSET, false, 0],
    ["row 1 comes before row 4 and row 3", ANON | PG_ACTIVE | PG_WORKINGSET, true, 0],
    ["row 2: active", PG_ACTIVE | PG_REFERENCED, false, 1],
    ["row 2 comes before row 3 (ADD-03)", PG_ACTIVE, true, 1],
    ["row 3: rotated, the oldest", PG_WORKINGSET | PG_REFERENCED, true, 3],
    ["row 3 comes before row 4", ANON, true, 3],
    ["row 4: anon that is not in the swap cache", ANON, false, 1],
    ["row 4 for referenced anon as well (ADD-03, ADD-10)", ANON | PG_REFERENCED, false, 1],
    ["row 5: to be reclaimed once written, dirty", PG_RECLAIM | PG_DIRTY, false, 1],
    ["row 5: to be reclaimed once written, in writeback", PG_RECLAIM | PG_WRITEBACK, false, 1],
    ["row 5 for swap cache", ANON | PG_SWAPCACHE | PG_RECLAIM | PG_DIRTY, false, 1],
    ["row 6: referenced file (ADD-12)", PG_REFERENCED, false, 2],
    ["row 6: workingset file (ADD-18)", PG_WORKINGSET, false, 2],
    ["row 6: referenced swap cache (ADD-15)", ANON | PG_SWAPCACHE | PG_REFERENCED, false, 2],
    ["row 6 when PG_reclaim is on a clean folio", PG_RECLAIM | PG_REFERENCED, false, 2],
    ["row 7: file by read ahead (ADD-13)", 0, false, 3],
    ["row 7: dirty without PG_reclaim (ADD-14)", PG_DIRTY, false, 3],
    ["row 7: clean with PG_reclaim", PG_RECLAIM, false, 3],
    ["row 7: swap cache by readahead (ADD-16)", ANON | PG_SWAPCACHE, false, 3],
  ] as const)("%s", (_name, flags, reclaiming, back) => {
    expect(placeOf(flags, reclaiming)).toBe(back);
  });

  test("every combination of flags, clamped to the oldest generation (ADD-02, ADD-04)", () => {
    const bits = [PG_ACTIVE, PG_WORKINGSET, PG_REFERENCED, PG_RECLAIM, PG_DIRTY, PG_WRITEBACK];
    bits.push(ANON, PG_SWAPCACHE);
    for (let set = 0; set < 1 << bits.length; set++) {
      const flags = bits.reduce((word, bit, i) => (set & (1 << i) ? word | bit : word), 0);
      for (const reclaiming of [false, true]) {
        const row = ROWS.find(([applies]) => applies(flags, reclaiming))!;
        const minSeq = 7 + (set % 3);
        const expected = Math.min(row[1], 10 - minSeq);
        expect(placeOf(flags, reclaiming, minSeq), `flags ${flags.toString(16)}`).toBe(expected);
      }
    }
  });

  test("the clamp is the type's own: with two generations of file, both rows land there (ADD-04)", () => {
    const m = new Machine();
    m.lruvec.lrugen.minSeq.set([0, 2]);
    const file = [m.add(m.folio(0)), m.add(m.folio(PG_REFERENCED)), m.add(m.folio(0), true)];
    const anon = m.add(m.folio(ANON), true);
    expect(m.list(2, 1)).toEqual([file[1], file[0], file[2]]);
    expect(m.list(0)).toEqual([anon]);
  });

  test("the flags count when the folio is added, not when it was queued (ADD-05)", () => {
    const m = new Machine();
    const [before, after] = [m.folio(0), m.folio(0)];
    m.add(before);
    m.policy.markAccessed(m.cpu, before);
    m.policy.markAccessed(m.cpu, after);
    m.add(after);
    expect([m.list(0, 1), m.list(1, 1)]).toEqual([[before], [after]]);
  });
});

describe("addFolio", () => {
  test("links at the head, or at the tail when reclaiming (ADD-01)", () => {
    const m = new Machine();
    m.lruvec.lrugen.minSeq.fill(2);
    const [a, b, c] = [m.add(m.folio()), m.add(m.folio()), m.add(m.folio(), true)];
    expect(m.list(2)).toEqual([b, a, c]);
  });

  test("always clears PG_active and leaves every other flag (ADD-01, MINV-05)", () => {
    const m = new Machine();
    const folio = m.folio(ANON | PG_ACTIVE | PG_REFERENCED | PG_DIRTY);
    const before = m.flags(folio);
    m.policy.addFolio(m.lruvec, folio, false);
    expect(m.state(folio)).toBe("gen 2 R D");
    m.setGen(folio, -1);
    expect(m.flags(folio)).toBe(before & ~PG_ACTIVE);
  });

  test.each([
    ["an unevictable folio", true, PG_UNEVICTABLE | ANON],
    ["any folio while the lruvec is on the classic lists (FOL-32)", false, ANON | PG_ACTIVE],
  ])("refuses %s and touches nothing (ADD-01, ADD-23)", (_name, enabled, flags) => {
    const m = new Machine();
    m.lruvec.lrugen.enabled = enabled;
    const folio = m.folio(flags);
    const before = m.flags(folio);
    expect(m.policy.addFolio(m.lruvec, folio, false)).toBe(false);
    expect(m.flags(folio)).toBe(before);
    expect(m.memory.folios.next[folio]).toBe(NIL);
    expect(m.lruvec.lruSize.every((size) => size === 0)).toBe(true);
  });

  test("shmem counts as anon, lazily freed anon as file (CONV-05, ADD-19)", () => {
    const m = new Machine();
    const shmem = m.folio(ANON);
    m.memory.folios.mapping[shmem] = 4;
    const lazyFree = m.folio(PG_REFERENCED);
    m.memory.folios.mapping[lazyFree] = 3;
    m.add(shmem);
    m.add(lazyFree);
    expect([m.list(2, 0), m.list(1, 1)]).toEqual([[shmem], [lazyFree]]);
  });

  test("a folio goes on the list of its own zone", () => {
    const m = new Machine({
      nodes: [
        {
          zones: [
            { zone: 1, pages: 1024 },
            { zone: 2, pages: 1024 },
          ],
        },
      ],
    });
    const normal = m.add(m.folio());
    while (m.memory.allocator.freePages[1]! > 0) m.memory.allocFolio(0, m.memcg);
    const dma32 = m.add(m.folio());
    expect([m.list(2, 0, 1), m.list(2, 0, 2)]).toEqual([[dma32], [normal]]);
    expect([m.lruvec.lruSize[5 + 1], m.lruvec.lruSize[5 + 2]]).toEqual([1, 1]);
  });
});

describe("delFolio", () => {
  test("a folio that is on no multi-gen list is not ours, and stays as it is (DEL-01)", () => {
    const m = new Machine();
    const folio = m.folio(ANON | PG_ACTIVE);
    const before = m.flags(folio);
    expect(m.policy.delFolio(m.lruvec, folio, false)).toBe(false);
    expect(m.flags(folio)).toBe(before);
  });

  test.each([
    [3, false, true],
    [2, false, true],
    [1, false, false],
    [0, false, false],
    [3, true, false],
    [2, true, false],
  ])(
    "from seq %i, reclaiming %s, leaves with PG_active: %s (DEL-01, DEL-02, FOL-31)",
    (seq, reclaiming, active) => {
      const m = new Machine();
      const folio = m.onList(seq, ANON | PG_REFERENCED);
      expect(m.policy.delFolio(m.lruvec, folio, reclaiming)).toBe(true);
      expect(m.state(folio)).toBe(active ? "gen -1 R A" : "gen -1 R");
      expect([m.list(seq), m.memory.folios.next[folio]]).toEqual([[], NIL]);
      expect([m.pages(seq), m.lruvec.lruSize.some((size) => size !== 0)]).toEqual([0, false]);
    },
  );

  test("a folio promoted in place leaves the size of its new generation (DEL-05, SZB-03)", () => {
    const m = new Machine();
    const folio = m.onList(1, ANON, 2);
    m.setGen(folio, 3);
    m.policy.delFolio(m.lruvec, folio, false);
    expect([m.pages(1), m.pages(3), m.list(1)]).toEqual([4, -4, []]);
    expect(m.state(folio)).toBe("gen -1 A");
  });

  test("deactivation puts anon at the head of max_seq-1 and file at that of max_seq-3 (REF-21)", () => {
    const m = new Machine();
    m.onList(2);
    m.onList(0, 0);
    const folios = [m.onList(3, ANON | PG_WORKINGSET), m.onList(3, PG_WORKINGSET)];
    for (const folio of folios) {
      expect(m.policy.clearRefs(m.lruvec, folio)).toBe(false);
      m.isolate(folio);
      m.memory.folios.flags[folio]! &= ~(PG_ACTIVE | PG_REFERENCED);
      m.add(folio);
    }
    expect([m.list(2)[0], m.list(0, 1)[0]]).toEqual(folios);
  });
});

const counters = (m: Machine): number[] =>
  [LRU_INACTIVE_ANON, LRU_ACTIVE_ANON, LRU_INACTIVE_FILE, LRU_ACTIVE_FILE].map((lru) =>
    m.lruvec.sizeOf(lru),
  );

describe("the classic counters follow (SIZE-01, SIZE-02)", () => {
  // With max_seq 3, slots 2 and 3 are active.
  test.each([
    [-1, 0, [8, 0]],
    [-1, 2, [0, 8]],
    [1, -1, [-8, 0]],
    [3, -1, [0, -8]],
    [0, 1, [0, 0]],
    [0, 2, [-8, 8]],
    [1, 3, [-8, 8]],
    [2, 3, [0, 0]],
    [3, 1, [0, 0]],
  ])("from slot %i to %i: inactive, active change by %j", (from, to, change) => {
    for (const type of [0, 1]) {
      const m = new Machine();
      new GenerationLists(m.memory).updateSize(m.lruvec, type, DMA32, 8, from, to);
      expect(counters(m)).toEqual(type === 0 ? [...change, 0, 0] : [0, 0, ...change]);
      const slots = [0, 1, 2, 3].map((gen) => m.pages(gen, type));
      expect(slots).toEqual([0, 1, 2, 3].map((gen) => (gen === to ? 8 : gen === from ? -8 : 0)));
    }
  });

  test("only in the zone of the folio, and lru_zone_size not at all (SIZE-02)", () => {
    const m = new Machine();
    new GenerationLists(m.memory).updateSize(m.lruvec, 1, 2, 4, -1, 3);
    expect(m.lruvec.lruSize[LRU_ACTIVE_FILE * MAX_NR_ZONES + 2]).toBe(4);
    expect(m.lruvec.lruSize.filter((size) => size !== 0)).toHaveLength(1);
    expect(m.lruvec.lruZoneSize.every((size) => size === 0)).toBe(true);
  });
});
