import {
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  LRU_UNEVICTABLE,
  PG_ACTIVE,
  PG_DIRTY,
  PG_LRU,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { folioLruList } from "../../src/index.ts";
import { Machine } from "../machine.ts";

const NOISE = PG_LRU | PG_DIRTY | PG_REFERENCED;

test.each([
  [PG_SWAPBACKED, LRU_INACTIVE_ANON],
  [PG_SWAPBACKED | PG_ACTIVE, LRU_ACTIVE_ANON],
  [0, LRU_INACTIVE_FILE],
  [PG_ACTIVE, LRU_ACTIVE_FILE],
  [PG_UNEVICTABLE, LRU_UNEVICTABLE],
  [PG_UNEVICTABLE | PG_SWAPBACKED, LRU_UNEVICTABLE],
])("flags %i belong on list %i, whatever else is set (FOL-03, FOL-04)", (flags, lru) => {
  expect([folioLruList(flags), folioLruList(flags | NOISE)]).toEqual([lru, lru]);
});

describe("the lists", () => {
  test("grow at the hot end, or at the cold end when told so", () => {
    const m = new Machine();
    const [a, b, c] = [m.listed(0), m.listed(0), m.listed(0, 0, undefined, true)];
    expect(m.lists).toEqual([[], [], [b, a, c], []]);
  });

  test("count pages by list and zone, for the memcg too (FOL-41, FOL-42)", () => {
    const m = new Machine();
    m.listed(PG_SWAPBACKED, 4);
    m.listed(PG_SWAPBACKED | PG_ACTIVE);
    m.listed(0, 9);
    m.listed(PG_ACTIVE, 3);
    m.listed(PG_UNEVICTABLE, 1);
    expect(m.sizes).toEqual([16, 1, 512, 8, 2]);
    expect(m.lruvec.lruZoneSize).toEqual(m.lruvec.lruSize);
    expect(m.lruvec.lruSize[LRU_INACTIVE_FILE * 5 + 1]).toBe(512); // zone DMA32
  });

  test("forget a folio that is taken off", () => {
    const m = new Machine();
    const [a, b, c] = [m.listed(0), m.listed(0, 2), m.listed(0)];
    m.take(b);
    expect([m.lists[LRU_INACTIVE_FILE], m.sizes]).toEqual([
      [c, a],
      [0, 0, 2, 0, 0],
    ]);
    expect([m.memory.folios.next[b], m.memory.folios.prev[b]]).toEqual([-1, -1]);
  });

  test("are the memcg's own", () => {
    const m = new Machine();
    const memcg = m.memory.createMemcg(m.memory.root, 2, "a");
    m.listed(0, 0, memcg);
    expect([m.sizes[LRU_INACTIVE_FILE], memcg.lruvecs[0]!.sizeOf(LRU_INACTIVE_FILE)]).toEqual([
      0, 1,
    ]);
  });
});

describe("unevictable folios (FOL-05)", () => {
  test("are counted, not linked, and keep what is in their link", () => {
    const m = new Machine();
    const folio = m.fresh(PG_UNEVICTABLE | PG_SWAPBACKED);
    m.memory.folios.prev[folio] = 3; // mlock_count
    m.put(folio);
    expect([m.lists, m.sizes]).toEqual([
      [[], [], [], []],
      [0, 0, 0, 0, 1],
    ]);
    expect(m.memory.folios.prev[folio]).toBe(3);
  });

  test("leave the count without touching a list", () => {
    const m = new Machine();
    const neighbour = m.listed(PG_SWAPBACKED);
    const folio = m.fresh(PG_UNEVICTABLE);
    m.memory.folios.prev[folio] = neighbour; // an mlock_count that could be taken for a link
    m.put(folio);
    m.take(folio);
    expect([m.lists[LRU_INACTIVE_ANON], m.sizes]).toEqual([[neighbour], [1, 0, 0, 0, 0]]);
    expect(m.memory.folios.prev[folio]).toBe(-1);
  });
});
