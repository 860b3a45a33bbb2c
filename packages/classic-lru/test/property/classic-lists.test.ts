import {
  LRU_UNEVICTABLE,
  type Memcg,
  PG_ACTIVE,
  PG_LRU,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
} from "@lrugen/mm-core";
import { checkAllocator, checkLists, checkLruvecs } from "@lrugen/mm-core/check";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { folioLruList } from "../../src/index.ts";
import { Machine } from "../machine.ts";

const numRuns = inject("soak") ? 2_000 : 40;

const KINDS = [0, PG_ACTIVE, PG_SWAPBACKED, PG_SWAPBACKED | PG_ACTIVE, PG_UNEVICTABLE] as const;

const step = fc.record({
  action: fc.constantFrom("add", "add", "add", "move", "take", "accessed", "release"),
  kind: fc.constantFrom(...KINDS),
  order: fc.nat(9),
  memcg: fc.nat(2),
  tail: fc.boolean(),
  pick: fc.nat(0xffff),
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A machine, and what its lists should be: plain arrays, hot end first. */
class Twin {
  readonly m = new Machine();
  readonly memcgs: Memcg[];
  private readonly lists = new Map<string, number[]>();
  private readonly alive: number[] = [];

  constructor() {
    const { memory } = this.m;
    const ids = [2, 3];
    this.memcgs = [memory.root, ...ids.map((id) => memory.createMemcg(memory.root, id, `m${id}`))];
  }

  take({ action, kind, order, memcg, tail, pick }: Step): void {
    const { m } = this;
    const folio = this.alive[pick % Math.max(this.alive.length, 1)];
    if (action === "add") {
      if (m.memory.allocator.freePages[0]! < 1024) return;
      const fresh = m.fresh(kind, order, this.memcgs[memcg]);
      this.alive.push(fresh);
      this.put(fresh, tail);
    } else if (folio === undefined) {
      return;
    } else if (action === "move") {
      this.remove(folio);
      m.clear(folio, PG_ACTIVE | PG_UNEVICTABLE | PG_SWAPBACKED);
      m.set(folio, kind);
      this.put(folio, tail);
    } else if (action === "take") {
      this.remove(folio);
    } else if (action === "accessed") {
      m.classic.markAccessed(m.cpu, folio);
    } else {
      this.listOf(folio)?.splice(this.listOf(folio)!.indexOf(folio), 1);
      this.alive.splice(this.alive.indexOf(folio), 1);
      m.memory.release.put(m.cpu, folio);
    }
  }

  /** @returns a line for each list that differs, and what the machine says of itself */
  violations(): string[] {
    const { memory } = this.m;
    const found = [...checkLruvecs(memory, { quiescent: true }), ...checkLists(memory)];
    for (const { index, lruvecs } of this.memcgs) {
      const lruvec = lruvecs[0]!;
      for (let lru = 0; lru < 5; lru++) {
        const expected = this.lists.get(`${index} ${lru}`) ?? [];
        const pages = expected.reduce((sum, folio) => sum + memory.folios.nrPagesOf(folio), 0);
        if (lruvec.sizeOf(lru) !== pages) found.push(`list ${lru} does not have ${pages} pages`);
        if (lru === LRU_UNEVICTABLE) continue;
        const listed = [...memory.lists.walk(lruvec.listHead + lru)].join(" ");
        if (listed !== expected.join(" ")) found.push(`list ${lru} is ${listed}`);
      }
    }
    return found;
  }

  private listOf(folio: number): number[] | undefined {
    if ((this.m.flags(folio) & PG_LRU) === 0) return undefined;
    const key = `${this.m.memory.folios.memcg[folio]} ${folioLruList(this.m.flags(folio))}`;
    if (!this.lists.has(key)) this.lists.set(key, []);
    return this.lists.get(key);
  }

  private put(folio: number, tail: boolean): void {
    if (this.m.flags(folio) & PG_LRU) return;
    this.m.put(folio, tail);
    if (tail) this.listOf(folio)!.push(folio);
    else this.listOf(folio)!.unshift(folio);
  }

  private remove(folio: number): void {
    const list = this.listOf(folio);
    if (list === undefined) return;
    list.splice(list.indexOf(folio), 1);
    this.m.take(folio);
  }
}

test("lists, sizes and flags agree through any history (INV-01..04, INV-06, FOL-04, FOL-42)", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (history) => {
      const twin = new Twin();
      for (const next of history) {
        twin.take(next);
        expect(twin.violations()).toEqual([]);
      }
      expect(checkAllocator(twin.m.memory)).toEqual([]);
    }),
    { numRuns },
  );
});

test("an access never activates an unreferenced folio and never moves one (BATCH-30, REF-04)", () => {
  const flags = fc
    .subarray([PG_ACTIVE, PG_REFERENCED, PG_SWAPBACKED])
    .map((set) => set.reduce((word, flag) => word | flag, 0));
  fc.assert(
    fc.property(flags, fc.boolean(), (word, listed) => {
      const m = new Machine();
      const folio = listed ? m.listed(word) : m.fresh(word);
      const before = m.lists;
      m.classic.markAccessed(m.cpu, folio);
      expect(m.lists).toEqual(before);
      const second = (word & (PG_REFERENCED | PG_ACTIVE)) === PG_REFERENCED;
      expect(m.activated).toEqual(second && listed ? [[0, folio]] : []);
      expect(m.flags(folio) & PG_ACTIVE).toBe(word & PG_ACTIVE);
    }),
  );
});
