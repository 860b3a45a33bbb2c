import { PG_ACTIVE, PG_LRU, PG_UNEVICTABLE } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

/** Names of folios by the order they were made in. */
function named(folios: readonly number[], order: readonly number[]): string {
  return folios.map((folio) => String.fromCodePoint(97 + order.indexOf(folio))).join("");
}

describe("adding", () => {
  test("holds 30 folios back, each with one more reference, and drains at the 31st (BATCH-05)", () => {
    const m = new Machine({});
    const folios = m.addMany(30);
    expect(m.batches.slots(0, "lru_add")).toEqual(folios);
    expect(m.list()).toEqual([]);
    expect(folios.map((folio) => [m.refs(folio), m.flags(folio) & PG_LRU])).toEqual(
      folios.map(() => [2, 0]),
    );
    folios.push(m.added());
    expect(m.batches.slots(0, "lru_add")).toEqual([]);
    expect(m.list()).toEqual(folios.toReversed());
    expect(folios.map((folio) => [m.refs(folio), m.flags(folio) & PG_LRU])).toEqual(
      folios.map(() => [1, PG_LRU]),
    );
    expect(m.locks).toBe(1);
  });

  test("a large folio drains what waits before it, in one lock hold (BATCH-06, EX-04)", () => {
    const m = new Machine({});
    const small = m.addMany(5);
    const large = m.anon(2);
    m.memory.folios.refcount[large] = 4; // four PTEs
    m.batches.add(m.tasks[0]!, large);
    expect(named(m.list(), [...small, large])).toBe("fedcba");
    expect(m.sizes()).toEqual([5 + 4, 0]);
    expect(m.refs(large)).toBe(4);
    expect(m.locks).toBe(1);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])("an order-%i folio never waits (BATCH-06)", (order) => {
    const m = new Machine({});
    const folio = m.added(0, order);
    expect(m.batches.slotsOf(folio)).toBe(0);
    expect(m.sizes()).toEqual([2 ** order, 0]);
  });

  test("CPUs fill batches of their own (BATCH-02)", () => {
    const m = new Machine({ cpus: 2 });
    const first = m.addMany(30, 0);
    const second = m.addMany(30, 1);
    expect(m.list()).toEqual([]);
    const last = m.added(1);
    expect(m.list()).toEqual([...second, last].toReversed());
    expect(m.batches.slots(0, "lru_add")).toEqual(first);
  });

  test("refuses a folio that is on the LRU", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon());
    expect(() => m.batches.add(m.tasks[0]!, folio)).toThrow("added a folio that has PG_lru");
  });

  test("is no fault's business while the task reclaims: what it puts back is not fresh (REF-07)", () => {
    const m = new Machine({});
    m.tasks[0]!.inLruFault = true;
    m.tasks[0]!.reclaiming = true;
    const folio = m.added();
    expect(m.mglru.announced).toEqual([[folio, false]]);
  });

  test("lets the judging policy mark the folio first (BATCH-20)", () => {
    const m = new Machine({});
    m.tasks[0]!.inLruFault = true;
    const first = m.added();
    m.tasks[0]!.inLruFault = false;
    const second = m.added();
    expect(m.mglru.announced).toEqual([
      [first, true],
      [second, false],
    ]);
    m.memory.lru.coreEnabled = false;
    const third = m.added();
    expect(m.classic.announced).toEqual([[third, false]]);
  });
});

describe("dead folios", () => {
  test("never reach a list (BATCH-12, EX-03)", () => {
    const m = new Machine({});
    const folios = m.addMany(10);
    for (const folio of folios.slice(0, 4)) m.put(folio);
    expect([m.locks, m.memory.root.charged]).toEqual([0, 10]); // zapped, but the batch keeps them
    folios.push(...m.addMany(21));
    expect(m.list()).toEqual(folios.slice(4).toReversed());
    expect(m.sizes()).toEqual([27, 0]);
    expect([m.locks, m.memory.root.charged]).toEqual([1, 27]);
    expect(folios.slice(0, 4).map((folio) => m.refs(folio))).toEqual([0, 0, 0, 0]);
  });

  test("take no lock when nobody survives (BATCH-12, LOCK-05)", () => {
    const m = new Machine({});
    const before = m.memory.allocator.freePages[0];
    for (const folio of m.addMany(7)) m.put(folio);
    m.batches.drain(m.cpus[0]!);
    expect(m.locks).toBe(0);
    expect(m.mglru.added).toEqual([]);
    expect(m.memory.allocator.freePages[0]).toBe(before);
  });

  test("lose PG_active and PG_unevictable (BATCH-10)", () => {
    const m = new Machine({});
    const folio = m.added();
    m.set(folio, PG_ACTIVE | PG_UNEVICTABLE);
    m.put(folio);
    m.batches.drain(m.cpus[0]!);
    expect(m.flags(folio) & (PG_ACTIVE | PG_UNEVICTABLE)).toBe(0);
  });

  test("are released with a second lock hold when only another batch held them (BATCH-11)", () => {
    const m = new Machine({});
    const folio = m.listed(m.file());
    m.batches.rotate(m.cpus[0]!, folio);
    m.put(folio);
    const before = m.locks;
    m.batches.drain(m.cpus[0]!);
    expect(m.locks - before).toBe(2);
    expect([m.list(), m.sizes(), m.memory.root.charged]).toEqual([[], [0, 0], 0]);
  });
});

describe("the lruvec lock", () => {
  test("is kept across neighbours of one lruvec and changed between lruvecs (LOCK-04, LOCK-06)", () => {
    const m = new Machine({ memcgs: 1 });
    for (const memcg of [0, 0, 1, 1, 0, 1]) m.added(0, 0, m.memcgs[memcg]);
    m.batches.drain(m.cpus[0]!);
    expect(m.locks).toBe(4);
  });

  test("is neither dropped nor taken for skipped folios (LOCK-06)", () => {
    const m = new Machine({ memcgs: 1 });
    const folios = [0, 1, 0].map((memcg) => m.added(0, 0, m.memcgs[memcg]));
    m.put(folios[1]!);
    m.batches.drain(m.cpus[0]!);
    expect(m.locks).toBe(1);
  });

  test("differs between nodes (LOCK-04)", () => {
    const m = new Machine({ nodes: 2, pages: 1024 });
    const local = m.added();
    while (m.memory.allocator.freePages[0]! > 0) m.anon();
    const remote = m.added();
    m.batches.drain(m.cpus[0]!);
    expect([m.list(m.memory.root, 0), m.list(m.memory.root, 1)]).toEqual([[local], [remote]]);
    expect(m.locks).toBe(2);
  });

  test("is taken once for a full batch of each kind, however many folios (LOCK-05)", () => {
    const m = new Machine({});
    const folios = m.addMany(31);
    const before = m.locks;
    for (const folio of folios) m.batches.activate(m.cpus[0]!, folio);
    expect(m.locks - before).toBe(1);
    expect(m.events()).toEqual({ pgactivate: 31 });
  });
});

describe("placement", () => {
  test("is decided by the flags at the drain, not at the add (BATCH-24)", () => {
    const m = new Machine({});
    const folio = m.added();
    m.set(folio, PG_ACTIVE);
    m.batches.drain(m.cpus[0]!);
    expect(m.mglru.added.map(({ flags }) => flags & PG_ACTIVE)).toEqual([PG_ACTIVE]);
  });

  test("falls to the classic lists while generations are off for the lruvec (FOL-32)", () => {
    const m = new Machine({});
    m.memory.root.lruvecs[0]!.lrugen.enabled = false;
    const folio = m.listed(m.anon());
    expect(m.classic.added.map((added) => added.folio)).toEqual([folio]);
  });
});

test("a folio somebody isolated is left alone, its reference dropped (BATCH-10)", () => {
  const m = new Machine({});
  const folio = m.listed(m.anon());
  m.batches.activate(m.cpus[0]!, folio);
  m.isolate(folio, PG_LRU);
  const before = m.locks;
  m.batches.drain(m.cpus[0]!);
  expect([m.locks - before, m.flags(folio) & PG_LRU, m.refs(folio)]).toEqual([0, 0, 2]);
  expect(m.events()).toEqual({});
});
