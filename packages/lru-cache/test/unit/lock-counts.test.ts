import { FOLIO_BATCH_SIZE } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

/** Pages that one loop of the benchmark touches and gives back: 16 MiB. */
const PAGES = 4096;

/** A run of folios as mmu_gather batches them: sizes of its arrays (REL-03). */
function gatherArrays(folios: number, local: number, further: number): number[] {
  const arrays = [Math.min(folios, local)];
  for (let rest = folios - local; rest > 0; rest -= further) arrays.push(Math.min(rest, further));
  return arrays;
}

/** Frees folios as the end of MADV_DONTNEED does: by arrays, in batches that no array shares (REL-05). */
function zap(m: Machine, folios: readonly number[], local: number, further: number): void {
  const batch = new Int32Array(FOLIO_BATCH_SIZE);
  const refs = new Int32Array(FOLIO_BATCH_SIZE).fill(1);
  let at = 0;
  for (const length of gatherArrays(folios.length, local, further)) {
    const end = at + length;
    for (; at < end; at += FOLIO_BATCH_SIZE) {
      const chunk = folios.slice(at, Math.min(end, at + FOLIO_BATCH_SIZE));
      batch.set(chunk);
      m.memory.release.putRefs(m.cpus[0]!, batch, refs, chunk.length);
    }
    at = end;
  }
}

describe("one loop of the page fault benchmark, stock, from empty batches (CALC-03, CALC-09, INV-40)", () => {
  test.each([
    { size: "4 KiB", order: 0, local: 7, further: 509, adds: 132, frees: 138 },
    { size: "16 KiB", order: 2, local: 4, further: 255, adds: 1024, frees: 37 },
    { size: "32 KiB", order: 3, local: 4, further: 255, adds: 512, frees: 19 },
    { size: "64 KiB", order: 4, local: 4, further: 255, adds: 256, frees: 10 },
    { size: "128 KiB", order: 5, local: 4, further: 255, adds: 128, frees: 5 },
    { size: "2 MiB", order: 9, local: 7, further: 509, adds: 8, frees: 2 },
  ])("$size folios: $adds lock holds to add, $frees to free", (row) => {
    const m = new Machine({ pages: 2 * PAGES });
    const folios = Array.from({ length: PAGES >> row.order }, () => m.added(0, row.order));
    const adds = m.locks;
    zap(m, folios, row.local, row.further);
    expect({ adds, frees: m.locks - adds }).toEqual({ adds: row.adds, frees: row.frees });
    m.batches.drainAll();
    expect([m.locks - adds, m.memory.root.charged]).toEqual([row.frees, 0]);
  });

  test("a thread's 1000 loops with 4 KiB folios: residual folios carry over (CALC-02, CALC-04)", () => {
    const m = new Machine({ pages: 2 * PAGES });
    let adds = 0;
    for (let loop = 0; loop < 1000; loop++) {
      const before = m.locks;
      const folios = m.addMany(PAGES);
      adds += m.locks - before;
      zap(m, folios, 7, 509);
      m.mglru.added.length = 0;
      m.mglru.announced.length = 0;
    }
    // A drain every 31 adds, dead or not; 20 such threads make the 5,392,920 of the table.
    expect({ adds, all: m.locks }).toEqual({
      adds: Math.floor((1000 * PAGES) / FOLIO_BATCH_SIZE),
      all: 5_392_920 / 20,
    });
  });
});

describe("releasing (REL-01, REL-02)", () => {
  test("takes a lock hold for each run of one lruvec among folios that die on the LRU", () => {
    const m = new Machine({ memcgs: 1 });
    // By memcg: 0 0 | 1 | 0 0 0; one survives in the second run of 0, one is not on the LRU.
    const folios = [0, 0, 1, 1, 0, 0, 0].map((memcg) => m.listed(m.anon(0, m.memcgs[memcg])));
    m.memory.folios.refcount[folios[3]!] = 2;
    const loose = m.anon(0, m.memcgs[1]);
    const batch = Int32Array.from([...folios.slice(0, 6), loose, folios[6]!]);
    const before = m.locks;
    m.memory.release.putRefs(m.cpus[0]!, batch, new Int32Array(batch.length).fill(1), 8);
    expect(m.locks - before).toBe(3);
    expect([m.sizes(m.memcgs[0]), m.sizes(m.memcgs[1])]).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  test("takes none for folios that only wait in a batch (REL-07)", () => {
    const m = new Machine({});
    const folios = m.addMany(20);
    zap(m, folios, 7, 509);
    expect(m.locks).toBe(0);
    expect(m.memory.root.charged).toBe(20);
  });
});
