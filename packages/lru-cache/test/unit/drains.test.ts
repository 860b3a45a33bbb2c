import { PG_LRU, PG_WRITEBACK } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { LRU_BATCH_NAMES } from "../../src/index.ts";
import { Machine } from "../machine.ts";

describe("a local drain", () => {
  test("takes the batches in the kernel's order, mlock last (BATCH-15)", () => {
    const m = new Machine({});
    const [activated, lazy, cold, invalid, rotated, locked] = Array.from({ length: 6 }, () =>
      m.anon(),
    ) as [number, number, number, number, number, number];
    for (const folio of [activated, lazy, cold, invalid, rotated, locked]) {
      m.batches.add(m.tasks[0]!, folio);
    }
    m.batches.drain(m.cpus[0]!);
    m.mglru.added.length = 0;
    const cpu = m.cpus[0]!;
    m.batches.mlock(cpu, locked);
    m.batches.activate(cpu, activated);
    m.batches.lazyFree(cpu, lazy);
    m.batches.deactivate(cpu, cold);
    m.set(invalid, PG_WRITEBACK);
    m.batches.deactivateFile(cpu, invalid);
    m.batches.rotate(cpu, rotated);
    const fresh = m.added();
    expect(LRU_BATCH_NAMES.map((name) => m.batches.slots(0, name))).toEqual([
      [fresh],
      [invalid],
      [cold],
      [lazy],
      [activated],
      [rotated],
    ]);
    m.batches.drain(cpu);
    expect(m.mglru.added.map(({ folio }) => folio)).toEqual([
      fresh,
      rotated,
      invalid,
      cold,
      lazy,
      activated,
    ]);
    expect(m.classic.added.map(({ folio }) => folio)).toEqual([locked]);
    expect(m.batches.isEmpty(0)).toBe(true);
  });

  test("leaves the other CPUs' batches alone (BATCH-14)", () => {
    const m = new Machine({ cpus: 2 });
    const here = m.added(0);
    const there = m.added(1);
    m.batches.drain(m.cpus[0]!);
    expect(m.list()).toEqual([here]);
    expect(m.batches.slots(1, "lru_add")).toEqual([there]);
  });

  test("takes no lock when nothing waits (INV-17)", () => {
    const m = new Machine({});
    m.batches.drain(m.cpus[0]!);
    expect(m.locks).toBe(0);
  });
});

describe("a drain of all CPUs", () => {
  test("begins with the caller's, then ascends (BATCH-16)", () => {
    const m = new Machine({ cpus: 3 });
    const folios = [0, 1, 2].map((cpu) => m.added(cpu));
    m.batches.drainAll(m.cpus[1]);
    expect(m.mglru.added.map(({ folio }) => folio)).toEqual([folios[1], folios[0], folios[2]]);
  });

  test("runs on each CPU itself", () => {
    const m = new Machine({ cpus: 2 });
    const { lock } = m.memory.root.lruvecs[0]!;
    const holders: number[] = [];
    const add = m.mglru.addFolio.bind(m.mglru);
    m.mglru.addFolio = (lruvec, folio, tail) => {
      holders.push(lock.holder);
      return add(lruvec, folio, tail);
    };
    m.added(1);
    m.added(0);
    m.batches.drainAll();
    expect(holders).toEqual([0, 1]);
  });

  test("empties the mlock batches as well (BATCH-16)", () => {
    const m = new Machine({ cpus: 2 });
    const folio = m.listed(m.anon());
    m.batches.mlock(m.cpus[1]!, folio);
    expect([m.batches.isEmpty(1), m.batches.slotsOf(folio)]).toEqual([false, 1]);
    m.batches.drainAll(m.cpus[0]);
    expect([m.batches.isEmpty(1), m.batches.slotsOf(folio)]).toEqual([true, 0]);
    expect(m.sizes()).toEqual([0, 1]);
  });
});

describe("disabled caches (BATCH-07)", () => {
  test("are drained, and every add costs a lock hold of its own", () => {
    const m = new Machine({ cpus: 2 });
    m.addMany(3, 1);
    m.batches.disable(m.cpus[0]);
    expect(m.list()).toHaveLength(3);
    const before = m.locks;
    m.addMany(5);
    expect([m.list().length, m.locks - before]).toEqual([8, 5]);
    const folio = m.list()[0]!;
    m.batches.mlock(m.cpus[0]!, folio);
    expect(m.sizes()).toEqual([7, 1]);
  });

  test("come back when every disable() has its enable()", () => {
    const m = new Machine({});
    m.batches.disable();
    m.batches.disable();
    m.batches.enable();
    m.added();
    expect(m.batches.isEmpty(0)).toBe(true);
    m.batches.enable();
    m.added();
    expect(m.batches.isEmpty(0)).toBe(false);
    expect(() => m.batches.enable()).toThrow("the folio batches are not disabled");
  });
});

describe("draining for one folio (BATCH-40)", () => {
  test("does nothing when its references are as expected", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon());
    const waiting = m.added();
    m.batches.drainForFolio(m.cpus[0]!, folio, 1); // the test's reference
    expect(m.batches.slotsOf(waiting)).toBe(1);
  });

  test("stops after this CPU when that was enough", () => {
    const m = new Machine({ cpus: 2 });
    const folio = m.added(0);
    const elsewhere = m.added(1);
    m.batches.drainForFolio(m.cpus[0]!, folio, 1);
    expect([m.flags(folio) & PG_LRU, m.refs(folio)]).toEqual([PG_LRU, 1]);
    expect(m.batches.slotsOf(elsewhere)).toBe(1);
  });

  test("goes on to all CPUs when another one has the folio", () => {
    const m = new Machine({ cpus: 2 });
    const folio = m.added(1);
    const here = m.added(0);
    m.batches.drainForFolio(m.cpus[0]!, folio, 1);
    expect([m.batches.slotsOf(folio), m.batches.slotsOf(here)]).toEqual([0, 0]);
  });

  test("never drains for a large folio", () => {
    const m = new Machine({});
    const folio = m.added(0, 2);
    const waiting = m.added();
    m.batches.drainForFolio(m.cpus[0]!, folio, 0);
    expect(m.batches.slotsOf(waiting)).toBe(1);
  });
});

describe("looking into the batches", () => {
  test("finds folios in this CPU's add batch only (BATCH-30)", () => {
    const m = new Machine({ cpus: 2 });
    const folio = m.added(0);
    const listed = m.anon();
    expect(m.cpus.map((cpu) => m.batches.inAddBatch(cpu, folio))).toEqual([true, false]);
    expect(m.batches.inAddBatch(m.cpus[0]!, listed)).toBe(false);
    m.batches.drain(m.cpus[0]!);
    expect(m.batches.inAddBatch(m.cpus[0]!, folio)).toBe(false);
  });

  test("counts the slots of a folio over CPUs and batches (BATCH-33)", () => {
    const m = new Machine({ cpus: 3 });
    const folio = m.listed(m.anon());
    m.batches.activate(m.cpus[1]!, folio);
    m.batches.rotate(m.cpus[2]!, folio);
    m.batches.mlock(m.cpus[0]!, folio);
    expect([m.batches.slotsOf(folio), m.refs(folio)]).toEqual([3, 4]);
    m.batches.drainAll();
    expect([m.batches.slotsOf(folio), m.refs(folio)]).toEqual([0, 1]);
  });

  test("refuses a CPU that is not there", () => {
    const m = new Machine({});
    expect(() => m.batches.slots(1, "lru_add")).toThrow("no folio batch lru_add of CPU 1");
  });
});
