import {
  PG_ACTIVE,
  PG_DROPBEHIND,
  PG_IDLE,
  PG_LRU,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

const STATE = PG_ACTIVE | PG_REFERENCED | PG_UNEVICTABLE | PG_IDLE;

describe("folio_mark_accessed (BATCH-30)", () => {
  test("first only marks the folio referenced", () => {
    const m = new Machine();
    const folio = m.listed(0);
    m.classic.markAccessed(m.cpu, folio);
    expect([m.flags(folio) & STATE, m.activated]).toEqual([PG_REFERENCED, []]);
  });

  test("then asks to activate it, and the next access counts as first again", () => {
    const m = new Machine();
    const folio = m.listed(PG_REFERENCED);
    m.classic.markAccessed(m.cpu, folio);
    expect([m.flags(folio) & STATE, m.activated]).toEqual([0, [[0, folio]]]);
  });

  test("sets PG_active on a folio that waits in this CPU's add batch", () => {
    const m = new Machine();
    const folio = m.fresh(PG_REFERENCED);
    m.waiting.add(folio);
    m.classic.markAccessed(m.cpu, folio);
    expect([m.flags(folio) & STATE, m.activated]).toEqual([PG_ACTIVE, []]);
  });

  test("only forgets the reference of a folio that waits on another CPU or is isolated", () => {
    const m = new Machine();
    const folio = m.fresh(PG_REFERENCED);
    m.waiting.add(folio);
    m.classic.markAccessed(m.memory.hw.cpus[1]!, folio);
    expect([m.flags(folio) & STATE, m.activated]).toEqual([0, []]);
  });

  test.each([PG_ACTIVE | PG_REFERENCED, PG_UNEVICTABLE | PG_REFERENCED])(
    "changes nothing under flags %i",
    (flags) => {
      const m = new Machine();
      const folio = m.listed(flags);
      m.classic.markAccessed(m.cpu, folio);
      expect([m.flags(folio) & STATE, m.activated]).toEqual([flags, []]);
    },
  );

  test("marks an active or unevictable folio that was not referenced", () => {
    const m = new Machine();
    for (const flags of [PG_ACTIVE, PG_UNEVICTABLE]) {
      const folio = m.listed(flags);
      m.classic.markAccessed(m.cpu, folio);
      expect(m.flags(folio) & STATE).toBe(flags | PG_REFERENCED);
    }
  });

  test.each([0, PG_REFERENCED, PG_ACTIVE | PG_REFERENCED])(
    "clears PG_idle, from flags %i",
    (flags) => {
      const m = new Machine();
      const folio = m.listed(flags | PG_IDLE);
      m.classic.markAccessed(m.cpu, folio);
      expect(m.flags(folio) & PG_IDLE).toBe(0);
    },
  );

  test("ignores a dropbehind folio, PG_idle included", () => {
    const m = new Machine();
    const folio = m.listed(PG_DROPBEHIND | PG_REFERENCED | PG_IDLE);
    m.classic.markAccessed(m.cpu, folio);
    expect([m.flags(folio) & STATE, m.activated]).toEqual([PG_REFERENCED | PG_IDLE, []]);
  });
});

test("a fresh folio of a fault starts inactive and unreferenced (EX-02)", () => {
  const m = new Machine();
  const folio = m.fresh(PG_SWAPBACKED);
  m.classic.beforeAdd(folio, true);
  m.put(folio);
  expect([m.flags(folio) & STATE, m.lists]).toEqual([0, [[folio], [], [], []]]);
});

test("a deactivation always goes on, with the accesses it found (BATCH-23)", () => {
  const m = new Machine();
  const folio = m.listed(PG_ACTIVE | PG_REFERENCED);
  expect(m.classic.clearRefs(m.lruvec, folio)).toBe(false);
  expect(m.flags(folio) & STATE).toBe(PG_ACTIVE | PG_REFERENCED);
});

test("a folio released from each list leaves nothing behind (DEL-03)", () => {
  const m = new Machine();
  const free = m.memory.allocator.freePages[0];
  for (const flags of [0, PG_ACTIVE, PG_SWAPBACKED, PG_SWAPBACKED | PG_ACTIVE, PG_UNEVICTABLE]) {
    const folio = m.listed(flags, 2);
    m.memory.release.put(m.cpu, folio);
    expect(m.flags(folio) & (PG_LRU | STATE)).toBe(0);
  }
  expect([m.sizes, m.memory.allocator.freePages[0]]).toEqual([[0, 0, 0, 0, 0], free]);
});
