import {
  type Memcg,
  packShadow,
  PG_ACTIVE,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  SHADOW_TOKENS,
  Task,
  unpackShadow,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

/** /t and its parent, and what the classic LRU remembers. */
class Memory extends Machine {
  readonly parent: Memcg = this.memory.createMemcg(this.memory.root, 27, "p");
  readonly memcg: Memcg = this.memory.createMemcg(this.parent, 28, "t");

  /** nonresident_age of /p/t, /p and /. */
  get ages(): number[] {
    const memcgs = [this.memcg, this.parent, this.memory.root];
    return memcgs.map(({ lruvecs }) => lruvecs[0]!.nonresidentAge);
  }

  /** Brings a page back for a shadow. @returns [PG_active, PG_workingset, counters] */
  refault(shadow: number, type = 1): [boolean, boolean, Record<string, number>] {
    const folio = this.fresh(type === 0 ? PG_SWAPBACKED : 0, 0, this.memcg);
    this.classic.refault(new Task(this.cpu, null), folio, shadow);
    const flags = this.flags(folio);
    const counted = Object.entries(this.memcg.vmstat.toRecord()).filter(([, n]) => n !== 0);
    return [(flags & PG_ACTIVE) !== 0, (flags & PG_WORKINGSET) !== 0, Object.fromEntries(counted)];
  }

  /** A shadow of /p/t that is so many pages old. */
  shadow(distance: number, workingset = false): number {
    const age = this.memcg.lruvecs[0]!.nonresidentAge - distance;
    return packShadow(this.memcg.privateId, 0, age, workingset);
  }
}

describe("workingset_eviction", () => {
  test("remembers the age of the reclaimed memcg before the eviction, then all above it age (WS-01, WS-02)", () => {
    const m = new Memory();
    m.parent.lruvecs[0]!.nonresidentAge = 5;
    const shadow = m.classic.evictionShadow(m.fresh(PG_WORKINGSET, 2, m.memcg), m.parent);
    expect(unpackShadow(shadow)).toEqual({
      privateId: m.parent.privateId,
      node: 0,
      token: 5,
      workingset: true,
    });
    expect(m.ages).toEqual([0, 9, 4]);
  });

  test("counts as the machine's when no memcg is reclaimed (WS-02)", () => {
    const m = new Memory();
    const shadow = m.classic.evictionShadow(m.fresh(0, 0, m.memcg), null);
    expect(unpackShadow(shadow).privateId).toBe(m.memory.root.privateId);
    expect(m.ages).toEqual([0, 0, 1]);
  });
});

describe("workingset_refault", () => {
  test("of a page that the workingset would have held activates it and lets time pass (WS-04, WS-05)", () => {
    const m = new Memory();
    m.listed(PG_ACTIVE, 3, m.memcg);
    m.memcg.lruvecs[0]!.nonresidentAge = 100;
    expect(m.refault(m.shadow(8))).toEqual([
      true,
      false,
      { workingset_refault_file: 1, workingset_activate_file: 1 },
    ]);
    expect(m.ages).toEqual([101, 1, 1]);
  });

  test("of one that was in the workingset restores that (WS-05)", () => {
    const m = new Memory();
    expect(m.refault(m.shadow(0, true), 0)).toEqual([
      true,
      true,
      { workingset_refault_anon: 1, workingset_activate_anon: 1, workingset_restore_anon: 1 },
    ]);
  });

  test("of one that was gone for longer is counted, no more (WS-04)", () => {
    const m = new Memory();
    m.listed(PG_ACTIVE, 3, m.memcg);
    m.memcg.lruvecs[0]!.nonresidentAge = 100;
    expect(m.refault(m.shadow(9, true))).toEqual([false, false, { workingset_refault_file: 1 }]);
    expect(m.ages).toEqual([100, 0, 0]);
  });

  test("of a token ahead of the age, as the multi-gen LRU may leave it, is not recent (WS-04, WS-07)", () => {
    const m = new Memory();
    m.listed(PG_ACTIVE, 3, m.memcg);
    expect(m.refault(m.shadow(-1))[0]).toBe(false);
  });

  test("is recent across the wrap of the token (WS-03)", () => {
    const m = new Memory();
    m.listed(PG_ACTIVE, 3, m.memcg);
    m.memcg.lruvecs[0]!.nonresidentAge = SHADOW_TOKENS + 3;
    expect([m.refault(m.shadow(8))[0], m.refault(m.shadow(9))[0]]).toEqual([true, false]);
  });

  test("for a shadow of a removed memcg is not recent (WS-04)", () => {
    const m = new Memory();
    const gone = m.memory.createMemcg(m.parent, 29, "gone");
    const shadow = packShadow(gone.privateId, 0, 0, false);
    expect(m.refault(shadow)[0]).toBe(true);
    m.memory.removeMemcg(gone);
    expect(m.refault(shadow)[0]).toBe(false);
  });

  // Pages: active anon 1, inactive anon 2, active file 4, inactive file 8.
  test.each([
    ["file", 1, 0, 4],
    ["file", 1, 1, 7],
    ["anon", 0, 0, 12],
    ["anon", 0, 1, 13],
  ])(
    "compares a page of %s (%i) with the lists it competes with, free swap %i: %i pages, of all below (WS-04)",
    (_name, type, swap, size) => {
      const m = new Memory();
      m.swapPages = swap;
      const child = m.memory.createMemcg(m.memcg, 30, "c");
      m.listed(PG_SWAPBACKED | PG_ACTIVE, 0, m.memcg);
      m.listed(PG_SWAPBACKED, 1, child);
      m.listed(PG_ACTIVE, 2, m.memcg);
      m.listed(0, 3, m.memcg);
      m.memcg.lruvecs[0]!.nonresidentAge = 50;
      expect(m.refault(m.shadow(size + 1), type)[0]).toBe(false);
      expect(m.refault(m.shadow(size), type)[0]).toBe(true);
    },
  );
});

test("the second access, which activates, lets time pass (WS-01, WS-06)", () => {
  const m = new Memory();
  const folio = m.listed(0, 2, m.memcg);
  m.classic.markAccessed(m.cpu, folio);
  expect([m.ages, m.flags(folio) & PG_REFERENCED]).toEqual([[0, 0, 0], PG_REFERENCED]);
  m.classic.markAccessed(m.cpu, folio);
  expect(m.ages).toEqual([4, 4, 4]);
});
