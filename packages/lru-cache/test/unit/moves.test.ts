import {
  PG_ACTIVE,
  PG_DIRTY,
  PG_LOCKED,
  PG_LRU,
  PG_RECLAIM,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  PG_WORKINGSET,
  PG_WRITEBACK,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

type Operation = "activate" | "deactivate" | "deactivateFile" | "lazyFree" | "rotate";

const STATE = PG_ACTIVE | PG_REFERENCED | PG_WORKINGSET | PG_RECLAIM | PG_SWAPBACKED;

/** Puts a folio with these flags on the LRU and applies an operation to it. */
class Trial {
  readonly m: Machine;
  readonly folio: number;

  constructor(classic: boolean, kind: "anon" | "file", flags: number) {
    this.m = new Machine({ classic, memcgs: 1 });
    this.m.mglru.young = true;
    // Bystanders, so that both ends of the list can be told apart.
    const memcg = this.m.memcgs[1]!;
    this.m.listed(this.m.file(0, memcg));
    this.folio = this.m.listed(kind === "anon" ? this.m.anon(2, memcg) : this.m.file(2, memcg));
    this.m.listed(this.m.file(0, memcg));
    this.m.set(this.folio, flags);
    this.m.mglru.added.length = 0;
    this.m.classic.added.length = 0;
  }

  /** As the drain finds it, flags of the moment included: the entry point's tests are passed by. */
  run(operation: Operation, atDrain = 0): this {
    const { batches } = this.m;
    this.m.memory.folios.order[this.folio] = 0; // order 0 waits; the move is of its 4 pages
    this.m.clear(this.folio, HEAD);
    batches[operation](this.m.cpus[0]!, this.folio);
    this.m.set(this.folio, HEAD | atDrain);
    this.m.memory.folios.order[this.folio] = 2;
    batches.drain(this.m.cpus[0]!);
    return this;
  }

  /** Additions at the drain: where, and with which state. */
  get placed(): { tail: boolean; flags: number }[] {
    return [...this.m.mglru.added, ...this.m.classic.added].map(({ tail, flags }) => ({
      tail,
      flags: flags & STATE,
    }));
  }

  get events(): [global: Record<string, number>, memcg: Record<string, number>] {
    return [this.m.events(), this.m.events(this.m.memcgs[1])];
  }
}

const HEAD = 1 << 6;
const both = [
  ["classic", true],
  ["MGLRU", false],
] as const;

describe.each(both)("%s", (_name, classic) => {
  test("activate: PG_active on arrival, PGACTIVATE (BATCH-23, REF-25)", () => {
    const trial = new Trial(classic, "file", PG_REFERENCED).run("activate");
    expect(trial.placed).toEqual([{ tail: false, flags: PG_ACTIVE | PG_REFERENCED }]);
    expect(trial.events).toEqual([{ pgactivate: 4 }, { pgactivate: 4 }]);
  });

  test.each([PG_ACTIVE, PG_UNEVICTABLE])("activate skips flags %i at the drain", (flags) => {
    const trial = new Trial(classic, "file", 0).run("activate", flags);
    expect([trial.placed, trial.events]).toEqual([[], [{}, {}]]);
    expect(trial.m.flags(trial.folio) & PG_LRU).toBe(PG_LRU);
  });

  test("deactivate: inactive and unreferenced, PGDEACTIVATE (BATCH-23, REF-21)", () => {
    const before = (classic ? PG_ACTIVE : 0) | PG_REFERENCED | PG_WORKINGSET;
    const trial = new Trial(classic, "anon", before).run("deactivate", PG_REFERENCED);
    expect(trial.placed).toEqual([{ tail: false, flags: PG_WORKINGSET | PG_SWAPBACKED }]);
    expect(trial.events).toEqual([{ pgdeactivate: 4 }, { pgdeactivate: 4 }]);
  });

  test("deactivateFile of a clean folio: to the tail, PGROTATED (BATCH-23, REF-23)", () => {
    const trial = new Trial(classic, "file", PG_REFERENCED).run("deactivateFile", PG_REFERENCED);
    expect(trial.placed).toEqual([{ tail: true, flags: 0 }]);
    const deactivated = classic ? {} : { pgdeactivate: 4 };
    expect(trial.events).toEqual([{ ...deactivated, pgrotated: 4 }, deactivated]);
  });

  test.each([PG_DIRTY, PG_WRITEBACK])(
    "deactivateFile of a busy folio (%i): to the head, PG_reclaim only after it (BATCH-23, REF-23)",
    (busy) => {
      const trial = new Trial(classic, "file", busy | PG_REFERENCED).run("deactivateFile");
      expect(trial.placed).toEqual([{ tail: false, flags: 0 }]);
      expect(trial.m.flags(trial.folio) & PG_RECLAIM).toBe(PG_RECLAIM);
      expect(trial.events[0]).toEqual(classic ? {} : { pgdeactivate: 4 });
    },
  );

  test("deactivateFile skips a mapped folio (BATCH-23)", () => {
    const trial = new Trial(classic, "file", 0);
    trial.m.memory.folios.mapping[trial.folio + 1] = 1;
    expect([trial.run("deactivateFile").placed, trial.events]).toEqual([[], [{}, {}]]);
  });

  test.each([PG_SWAPCACHE, PG_UNEVICTABLE])("lazyFree skips flags %i at the drain", (flags) => {
    const trial = new Trial(classic, "anon", 0).run("lazyFree", flags);
    expect([trial.placed, trial.events]).toEqual([[], [{}, {}]]);
  });

  test.each(["deactivate", "deactivateFile", "rotate"] as const)(
    "%s skips a folio that became unevictable while it waited (BATCH-23)",
    (operation) => {
      const trial = new Trial(classic, "file", classic ? PG_ACTIVE : 0);
      trial.m.clear(trial.folio, operation === "rotate" ? PG_ACTIVE : 0);
      expect([trial.run(operation, PG_UNEVICTABLE).placed, trial.events]).toEqual([[], [{}, {}]]);
      expect(trial.m.flags(trial.folio) & PG_LRU).toBe(PG_LRU);
    },
  );

  test("rotate: inactive, to the tail, PGROTATED globally only (BATCH-23, REF-26)", () => {
    const before = (classic ? PG_ACTIVE : 0) | PG_REFERENCED;
    const trial = new Trial(classic, "file", before).run("rotate");
    expect(trial.placed).toEqual([{ tail: true, flags: PG_REFERENCED }]);
    expect(trial.events).toEqual([{ pgrotated: 4 }, {}]);
  });

  test.each([
    ["activate", PG_UNEVICTABLE],
    ["activate", PG_ACTIVE],
    ["deactivate", PG_UNEVICTABLE],
    ["deactivateFile", PG_UNEVICTABLE],
    ["lazyFree", PG_UNEVICTABLE],
    ["lazyFree", PG_SWAPCACHE],
    ["rotate", PG_UNEVICTABLE],
    ["rotate", PG_LOCKED],
    ["rotate", PG_DIRTY],
  ] as const)("%s does not queue a folio with flags %i (BATCH-02)", (operation, flags) => {
    const m = new Machine({ classic });
    const folio = m.listed(m.anon());
    m.set(folio, flags);
    m.batches[operation](m.cpus[0]!, folio);
    expect(m.batches.slotsOf(folio)).toBe(0);
  });

  test.each(["activate", "deactivate", "deactivateFile", "lazyFree", "rotate"] as const)(
    "%s does not queue a folio without PG_lru (BATCH-02)",
    (operation) => {
      const m = new Machine({ classic });
      const folio = m.listed(m.anon());
      m.set(folio, PG_ACTIVE);
      m.isolate(folio, PG_LRU);
      m.clear(folio, operation === "activate" ? PG_ACTIVE : 0);
      m.batches[operation](m.cpus[0]!, folio);
      expect(m.batches.slotsOf(folio)).toBe(0);
    },
  );

  test("lazyFree does not queue file folios or those already lazily freed (BATCH-02)", () => {
    const m = new Machine({ classic });
    const file = m.listed(m.file());
    const lazy = m.listed(m.anon());
    m.clear(lazy, PG_SWAPBACKED);
    m.batches.lazyFree(m.cpus[0]!, file);
    m.batches.lazyFree(m.cpus[0]!, lazy);
    expect(m.batches.isEmpty(0)).toBe(true);
  });
});

describe("the policies differ", () => {
  test("classic: deactivate takes active folios only, at the add and at the drain (BATCH-23)", () => {
    const m = new Machine({ classic: true });
    const folio = m.listed(m.anon());
    m.batches.deactivate(m.cpus[0]!, folio);
    expect(m.batches.slotsOf(folio)).toBe(0);
    m.set(folio, PG_ACTIVE | PG_REFERENCED);
    m.batches.deactivate(m.cpus[0]!, folio);
    expect(m.batches.slots(0, "lru_deactivate")).toEqual([folio]);
    m.clear(folio, PG_ACTIVE);
    m.batches.drain(m.cpus[0]!);
    expect([m.events(), m.flags(folio) & PG_REFERENCED]).toEqual([{}, PG_REFERENCED]);
  });

  test("classic: deactivateFile counts PGDEACTIVATE for a folio that was active (BATCH-23)", () => {
    const trial = new Trial(true, "file", PG_ACTIVE | PG_DIRTY).run("deactivateFile");
    expect(trial.events).toEqual([{ pgdeactivate: 4 }, { pgdeactivate: 4 }]);
  });

  test.each(["deactivate", "deactivateFile"] as const)(
    "MGLRU: %s forgets accesses at once and may find no move needed (BATCH-25)",
    (operation) => {
      const m = new Machine({});
      const folio = m.listed(m.anon());
      m.set(folio, PG_REFERENCED);
      m.mglru.oldest = true;
      m.batches[operation](m.cpus[0]!, folio);
      expect([m.batches.slotsOf(folio), m.flags(folio) & PG_REFERENCED]).toEqual([0, 0]);
      m.mglru.oldest = false;
      m.batches[operation](m.cpus[0]!, folio);
      expect(m.batches.slotsOf(folio)).toBe(1);
    },
  );

  test("classic: lazyFree forgets accesses (BATCH-23)", () => {
    const trial = new Trial(true, "anon", PG_ACTIVE | PG_REFERENCED | PG_WORKINGSET);
    expect(trial.run("lazyFree").placed).toEqual([{ tail: false, flags: PG_WORKINGSET }]);
    expect(trial.events).toEqual([{ pglazyfree: 4 }, { pglazyfree: 4 }]);
  });

  test("MGLRU: lazyFree keeps the access state, being off the lists by then (REF-24)", () => {
    const trial = new Trial(false, "anon", PG_REFERENCED | PG_WORKINGSET);
    expect(trial.run("lazyFree").placed).toEqual([
      { tail: false, flags: PG_REFERENCED | PG_WORKINGSET },
    ]);
    expect(trial.events).toEqual([{ pglazyfree: 4 }, { pglazyfree: 4 }]);
  });
});
