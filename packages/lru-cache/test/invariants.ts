import {
  LRU_GEN_MASK,
  LRU_INACTIVE_ANON,
  LRU_UNEVICTABLE,
  PG_ACTIVE,
  PG_DIRTY,
  PG_LRU,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  PG_WRITEBACK,
} from "@lrugen/mm-core";
import { expect } from "vitest";
import { LRU_BATCH_NAMES } from "../src/index.ts";
import type { Machine } from "./machine.ts";

/** What draining must not touch (INV-18). */
const STABLE = PG_DIRTY | PG_WRITEBACK | PG_SWAPCACHE;

/**
 * Checks a machine after a step.
 *
 * @param held references that the test holds, of every folio that is alive
 */
export function checkInvariants(m: Machine, held: ReadonlyMap<number, number>): void {
  checkMembership(m, held);
  checkReferences(m, held);
  checkBatches(m, held);
  checkPages(m, held);
}

/** INV-01..04: PG_lru, the lists, the unevictable count and the generation say the same; INV-19: the dead count nowhere. */
function checkMembership(m: Machine, held: ReadonlyMap<number, number>): void {
  const linked = new Map<number, number>();
  for (const memcg of m.memcgs) {
    const lruvec = memcg.lruvecs[0]!;
    let [listed, unevictable] = [0, 0];
    for (const policy of [m.mglru, m.classic]) {
      for (const folio of m.memory.lists.walk(policy.headOf(lruvec))) {
        linked.set(folio, (linked.get(folio) ?? 0) + 1);
        listed += m.memory.folios.nrPagesOf(folio);
        expect(m.memory.lruvecOf(folio)).toBe(lruvec);
      }
    }
    for (const folio of held.keys()) {
      const flags = m.flags(folio);
      if (m.memory.lruvecOf(folio) !== lruvec || !(flags & PG_LRU && flags & PG_UNEVICTABLE))
        continue;
      unevictable += m.memory.folios.nrPagesOf(folio);
    }
    expect([lruvec.sizeOf(LRU_INACTIVE_ANON), lruvec.sizeOf(LRU_UNEVICTABLE)]).toEqual([
      listed,
      unevictable,
    ]);
    expect(lruvec.lock.holder).toBe(-1);
  }
  for (const folio of held.keys()) {
    const flags = m.flags(folio);
    const onList = (flags & PG_LRU) !== 0 && (flags & PG_UNEVICTABLE) === 0;
    expect(linked.get(folio) ?? 0, "INV-01, INV-02").toBe(onList ? 1 : 0);
    if (flags & LRU_GEN_MASK) {
      expect(flags & PG_LRU, "INV-02").toBe(PG_LRU);
      expect(flags & (PG_ACTIVE | PG_UNEVICTABLE), "INV-03").toBe(0);
    }
    expect((flags & PG_ACTIVE) !== 0 && (flags & PG_UNEVICTABLE) !== 0, "INV-04").toBe(false);
  }
  for (const folio of linked.keys()) expect(held.has(folio)).toBe(true);
}

/** INV-09: every reference is the test's or a batch slot's. */
function checkReferences(m: Machine, held: ReadonlyMap<number, number>): void {
  for (const [folio, references] of held) {
    expect(m.refs(folio), "INV-09").toBe(references + m.batches.slotsOf(folio));
  }
}

/** INV-11, INV-12, INV-16: what may wait in a batch. */
function checkBatches(m: Machine, held: ReadonlyMap<number, number>): void {
  const added = new Set<number>();
  for (const { id } of m.cpus) {
    for (const name of LRU_BATCH_NAMES) {
      const slots = m.batches.slots(id, name);
      expect(slots.length, "INV-11").toBeLessThanOrEqual(30);
      for (const folio of slots) {
        expect(held.has(folio), "INV-10").toBe(true);
        expect(m.memory.folios.isLarge(folio), "INV-12").toBe(false);
        if (name !== "lru_add") continue;
        expect(added.has(folio), "INV-16").toBe(false);
        expect(m.flags(folio) & PG_LRU, "INV-16").toBe(0);
        added.add(folio);
      }
    }
  }
}

/** INV-20: no page is lost, and what is charged is what is alive. */
function checkPages(m: Machine, held: ReadonlyMap<number, number>): void {
  const alive = [...held.keys()].reduce((sum, folio) => sum + m.memory.folios.nrPagesOf(folio), 0);
  const free = m.memory.allocator.freePages[0]!;
  expect(free + alive + 1, "INV-20").toBe(m.memory.folios.nrPages); // 1: the zero page
  expect(m.memcgs.reduce((sum, memcg) => sum + memcg.charged, 0)).toBe(alive);
}

/** The state of all folios that a drain must leave alone. */
export type StableState = ReadonlyMap<number, readonly [flags: number, mapcount: number]>;

/** Reads it. */
export function stableState(m: Machine, held: ReadonlyMap<number, number>): StableState {
  return new Map(
    [...held.keys()].map((folio) => [
      folio,
      [m.flags(folio) & (STABLE | PG_SWAPBACKED), m.memory.folios.mapcountOf(folio)],
    ]),
  );
}

/** INV-18: the same after a drain, but for PG_swapbacked, which may only be cleared. */
export function checkStable(m: Machine, before: StableState): void {
  for (const [folio, [flags, mapcount]] of before) {
    if (m.refs(folio) === 0) continue;
    expect(m.flags(folio) & STABLE, "INV-18").toBe(flags & STABLE);
    expect(m.flags(folio) & PG_SWAPBACKED & ~flags, "INV-18").toBe(0);
    expect(m.memory.folios.mapcountOf(folio), "INV-18").toBe(mapcount);
  }
}
