import {
  Mm,
  PG_ACTIVE,
  PG_LRU,
  PG_MLOCKED,
  PG_UNEVICTABLE,
  Vma,
  VM_IO,
  VM_LOCKED,
  VM_READ,
  VM_SPECIAL,
  VM_WRITE,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

const LOCK_FLAGS = PG_MLOCKED | PG_UNEVICTABLE | PG_LRU | PG_ACTIVE;

function drain(m: Machine): void {
  m.batches.drain(m.cpus[0]!);
}

function vma(m: Machine, flags: number): Vma {
  return new Vma(new Mm(1, 0, m.memory.root), 0, 16, flags);
}

describe("mlock of a folio on the LRU (BATCH-32)", () => {
  test("takes it off the list at the drain and counts it there", () => {
    const m = new Machine({});
    m.mglru.young = true;
    const folio = m.listed(m.anon());
    m.batches.mlock(m.cpus[0]!, folio);
    expect([m.flags(folio) & LOCK_FLAGS, m.refs(folio), m.list()]).toEqual([
      PG_MLOCKED | PG_LRU,
      2,
      [folio],
    ]);
    expect(m.events()).toEqual({ unevictable_pgs_mlocked: 1 });
    drain(m);
    expect([m.flags(folio) & LOCK_FLAGS, m.refs(folio), m.list()]).toEqual([
      PG_MLOCKED | PG_UNEVICTABLE | PG_LRU,
      1,
      [],
    ]);
    expect(m.sizes()).toEqual([0, 1]);
    expect(m.events()).toEqual({ unevictable_pgs_mlocked: 1, unevictable_pgs_culled: 1 });
    expect(m.events(m.memory.root)).toEqual({});
  });

  test("munlock puts it back and counts what fixture 23-mlock counts", () => {
    const m = new Machine({});
    const folios = m.addMany(16);
    drain(m);
    const locked = folios.slice(4, 8);
    for (const folio of locked) m.batches.mlock(m.cpus[0]!, folio);
    drain(m);
    expect(m.list()).toEqual([...folios.slice(8).toReversed(), ...folios.slice(0, 4).toReversed()]);
    for (const folio of locked) m.batches.munlock(m.cpus[0]!, folio);
    drain(m);
    expect(m.list().slice(0, 4)).toEqual(locked.toReversed());
    expect(m.sizes()).toEqual([16, 0]);
    expect(locked.map((folio) => m.flags(folio) & LOCK_FLAGS)).toEqual(locked.map(() => PG_LRU));
    expect(m.events()).toEqual({
      unevictable_pgs_culled: 4,
      unevictable_pgs_rescued: 4,
      unevictable_pgs_mlocked: 4,
      unevictable_pgs_munlocked: 4,
    });
  });

  test("nests: as many munlocks as mlocks make it evictable", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon());
    for (let i = 0; i < 3; i++) m.batches.mlock(m.cpus[0]!, folio);
    drain(m);
    expect(m.memory.folios.prev[folio]).toBe(3); // mlock_count (FOL-05)
    const states = [1, 2, 3].map(() => {
      m.batches.munlock(m.cpus[0]!, folio);
      drain(m);
      return m.flags(folio) & LOCK_FLAGS;
    });
    const locked = PG_MLOCKED | PG_UNEVICTABLE | PG_LRU;
    expect(states).toEqual([locked, locked, PG_LRU]);
    expect(m.events()["unevictable_pgs_mlocked"]).toBe(1);
    expect(m.list()).toEqual([folio]);
  });

  test("undone on another CPU before the drain, changes nothing", () => {
    const m = new Machine({ cpus: 2 });
    const folio = m.listed(m.anon());
    m.batches.mlock(m.cpus[0]!, folio);
    m.batches.munlock(m.cpus[1]!, folio);
    m.batches.drain(m.cpus[1]!);
    drain(m);
    expect([m.flags(folio) & LOCK_FLAGS, m.list(), m.sizes()]).toEqual([PG_LRU, [folio], [1, 0]]);
    expect(m.events()).toEqual({ unevictable_pgs_mlocked: 1, unevictable_pgs_munlocked: 1 });
  });

  test("rescues an unevictable folio that is no longer locked", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon());
    m.batches.mlock(m.cpus[0]!, folio);
    drain(m);
    m.batches.mlock(m.cpus[0]!, folio);
    m.clear(folio, PG_MLOCKED);
    drain(m);
    expect([m.flags(folio) & LOCK_FLAGS, m.list(), m.sizes()]).toEqual([PG_LRU, [folio], [1, 0]]);
    expect(m.events()["unevictable_pgs_rescued"]).toBe(1);
  });

  test("leaves a folio that somebody isolated alone", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon());
    m.batches.mlock(m.cpus[0]!, folio);
    m.isolate(folio, PG_LRU);
    const before = m.locks;
    drain(m);
    expect([m.flags(folio) & LOCK_FLAGS, m.refs(folio), m.locks - before]).toEqual([
      PG_MLOCKED,
      2,
      0,
    ]);
  });

  test("counts pages, and drains at once for a large folio", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon(4));
    m.batches.mlock(m.cpus[0]!, folio);
    expect([m.batches.slotsOf(folio), m.sizes()]).toEqual([0, [0, 16]]);
    expect(m.events()).toEqual({ unevictable_pgs_mlocked: 16, unevictable_pgs_culled: 16 });
  });

  test("drains at the 31st folio, in one lock hold", () => {
    const m = new Machine({});
    const folios = m.addMany(31);
    const before = m.locks;
    for (const folio of folios.slice(0, 30)) m.batches.mlock(m.cpus[0]!, folio);
    expect(m.sizes()).toEqual([31, 0]);
    m.batches.mlock(m.cpus[0]!, folios[30]!);
    expect([m.sizes(), m.locks - before]).toEqual([[0, 31], 1]);
  });

  test("holds the lock across folios of one lruvec only (LOCK-04)", () => {
    const m = new Machine({ memcgs: 1 });
    const folios = [0, 0, 1, 0].map((memcg) => m.listed(m.anon(0, m.memcgs[memcg])));
    const before = m.locks;
    for (const folio of folios) m.batches.mlock(m.cpus[0]!, folio);
    drain(m);
    expect(m.locks - before).toBe(3);
  });
});

describe("munlock (BATCH-32)", () => {
  test("of a folio that was never locked changes nothing but the order of references", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon());
    m.batches.munlock(m.cpus[0]!, folio);
    drain(m);
    expect([m.flags(folio) & LOCK_FLAGS, m.refs(folio), m.events()]).toEqual([PG_LRU, 1, {}]);
  });

  test("of an isolated folio only clears PG_mlocked: stranded", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon());
    m.batches.mlock(m.cpus[0]!, folio);
    drain(m);
    m.isolate(folio, PG_LRU);
    m.batches.munlock(m.cpus[0]!, folio);
    const before = m.locks;
    drain(m);
    expect([m.flags(folio) & LOCK_FLAGS, m.locks - before]).toEqual([PG_UNEVICTABLE, 0]);
    expect(m.events()["unevictable_pgs_stranded"]).toBe(1);
    // The add that puts it back finds it evictable again (BATCH-22).
    m.batches.add(m.tasks[0]!, folio);
    drain(m);
    expect([m.list(), m.sizes()]).toEqual([[folio], [1, 0]]);
    expect(m.events()["unevictable_pgs_rescued"]).toBe(1);
  });
});

describe("a fresh folio of a mapping (BATCH-21)", () => {
  test("goes the mlock way in a locked VMA", () => {
    const m = new Machine({});
    const folio = m.anon();
    m.batches.addVma(m.tasks[0]!, folio, vma(m, VM_READ | VM_WRITE | VM_LOCKED));
    expect([m.flags(folio) & LOCK_FLAGS, m.batches.slots(0, "lru_add")]).toEqual([PG_MLOCKED, []]);
    expect([m.refs(folio), m.mglru.announced]).toEqual([2, []]); // REF-08
    drain(m);
    expect([m.flags(folio) & LOCK_FLAGS, m.memory.folios.prev[folio]]).toEqual([
      PG_MLOCKED | PG_UNEVICTABLE | PG_LRU,
      1,
    ]);
    expect(m.sizes()).toEqual([0, 1]);
    expect(m.events()).toEqual({ unevictable_pgs_mlocked: 1, unevictable_pgs_culled: 1 });
  });

  test("munlocked before the drain, joins the lists as any other", () => {
    const m = new Machine({ cpus: 2 });
    const folio = m.anon();
    m.batches.addVma(m.tasks[0]!, folio, vma(m, VM_LOCKED));
    m.batches.munlock(m.cpus[1]!, folio);
    m.batches.drain(m.cpus[1]!);
    drain(m);
    expect([m.list(), m.sizes()]).toEqual([[folio], [1, 0]]);
    expect(m.events()).toEqual({ unevictable_pgs_mlocked: 1, unevictable_pgs_stranded: 1 });
  });

  test.each([0, VM_SPECIAL, VM_LOCKED | VM_IO])("is added as always under flags %i", (flags) => {
    const m = new Machine({});
    const folio = m.anon();
    m.batches.addVma(m.tasks[0]!, folio, vma(m, flags));
    expect(m.batches.slots(0, "lru_add")).toEqual([folio]);
    expect(m.flags(folio) & PG_MLOCKED).toBe(0);
  });
});

describe("lru_add of a locked folio (BATCH-22)", () => {
  test("culls it with an mlock count of 0, which the waiting mlock raises", () => {
    const m = new Machine({});
    const folio = m.added();
    m.set(folio, PG_ACTIVE);
    m.batches.mlock(m.cpus[0]!, folio);
    drain(m);
    expect([m.flags(folio) & LOCK_FLAGS, m.memory.folios.prev[folio]]).toEqual([
      PG_MLOCKED | PG_UNEVICTABLE | PG_LRU,
      1,
    ]);
    expect(m.events()["unevictable_pgs_culled"]).toBe(1);
  });

  test("does not count one that comes back unevictable", () => {
    const m = new Machine({});
    const folio = m.listed(m.anon());
    m.batches.mlock(m.cpus[0]!, folio);
    drain(m);
    m.isolate(folio, PG_LRU);
    m.batches.add(m.tasks[0]!, folio);
    drain(m);
    expect(m.events()["unevictable_pgs_culled"]).toBe(1);
    expect([m.sizes(), m.memory.folios.prev[folio]]).toEqual([[0, 1], 0]);
  });
});

test("a folio freed while locked leaves the count (FOL-05, DEL-03)", () => {
  const m = new Machine({});
  const folio = m.listed(m.anon());
  m.batches.mlock(m.cpus[0]!, folio);
  drain(m);
  m.put(folio);
  expect([m.sizes(), m.memory.root.charged]).toEqual([[0, 0], 0]);
  expect(m.events()["unevictable_pgs_cleared"]).toBe(1);
});
