import { describe, expect, test } from "vitest";
import * as mm from "../../src/index.ts";

/** Names that bits have in the second page of a large folio. */
const OF_SECOND_PAGE: ReadonlySet<string> = new Set(["PG_PARTIALLY_MAPPED", "PG_DEFERRED_SPLIT"]);

/** Every PG_* constant by name. */
const pageFlags = Object.entries(mm).filter(
  (entry): entry is [string, number] => entry[0].startsWith("PG_") && !OF_SECOND_PAGE.has(entry[0]),
);

describe("the flag word", () => {
  test("has one bit for each page flag", () => {
    for (const [name, bit] of pageFlags) {
      expect([name, Math.log2(bit >>> 0) % 1]).toEqual([name, 0]);
    }
    expect(new Set(pageFlags.map(([, bit]) => bit)).size).toBe(pageFlags.length);
  });

  test("has a field of 3 bits for the generation and one of 2 for accesses (FOL-01)", () => {
    expect(mm.LRU_GEN_MASK >>> mm.LRU_GEN_PGOFF).toBe(0b111);
    expect(mm.LRU_REFS_MASK >>> mm.LRU_REFS_PGOFF).toBe(0b11);
  });

  test("has no bit with two meanings", () => {
    const fields = mm.LRU_GEN_MASK | mm.LRU_REFS_MASK;
    expect(mm.LRU_GEN_MASK & mm.LRU_REFS_MASK).toBe(0);
    expect(pageFlags.filter(([, bit]) => bit & fields)).toEqual([]);
  });

  test("counts PG_referenced to LRU_REFS_FLAGS (FLAG-01)", () => {
    expect(mm.LRU_REFS_FLAGS).toBe(mm.LRU_REFS_MASK + mm.PG_REFERENCED);
  });

  test("is negative for tail pages only", () => {
    expect(pageFlags.filter(([, bit]) => bit < 0)).toEqual([["PG_TAIL", mm.PG_TAIL]]);
    expect(mm.LRU_GEN_MASK).toBeGreaterThan(0);
  });

  test("uses the kernel's bit numbers (mglru.md 1.3)", () => {
    const bits = Object.fromEntries(pageFlags.map(([name, bit]) => [name, Math.log2(bit >>> 0)]));
    expect(bits).toMatchObject({
      PG_LOCKED: 0,
      PG_WRITEBACK: 1,
      PG_REFERENCED: 2,
      PG_DIRTY: 4,
      PG_LRU: 5,
      PG_ACTIVE: 8,
      PG_WORKINGSET: 9,
      PG_SWAPCACHE: 10,
      PG_RECLAIM: 16,
      PG_SWAPBACKED: 17,
      PG_UNEVICTABLE: 18,
      PG_DROPBEHIND: 19,
      PG_MLOCKED: 20,
      PG_YOUNG: 22,
      PG_IDLE: 23,
    });
    expect([mm.LRU_REFS_PGOFF, mm.LRU_GEN_PGOFF]).toEqual([25, 27]);
  });
});
