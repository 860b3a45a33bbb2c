import { describe, expect, test } from "vitest";
import { DeferredSplit, FolioTable, NIL, PG_PARTIALLY_MAPPED } from "../../src/index.ts";

/** Four folios of four pages, of memcg 1. */
function create(): { queue: DeferredSplit; folios: FolioTable; all: number[] } {
  const folios = new FolioTable(64, 0);
  const all = [8, 16, 24, 32];
  for (const folio of all) folios.prepare(folio, 2, 1);
  return { queue: new DeferredSplit(folios, 3, 2), folios, all };
}

/** The queue, oldest first; it is empty afterwards. */
function emptied(queue: DeferredSplit, memcg: number, node: number): number[] {
  const found: number[] = [];
  for (let folio = queue.shift(memcg, node); folio !== NIL; folio = queue.shift(memcg, node))
    found.push(folio);
  return found;
}

describe("a deferred split queue (FOL-13)", () => {
  test("keeps order, whatever is taken out of it, for each memcg and node by itself", () => {
    const { queue, folios, all } = create();
    for (const folio of all) queue.add(folio, 0);
    queue.add(all[0]!, 0);
    folios.memcg[40] = 1;
    folios.prepare(40, 2, 1);
    queue.add(40, 1);
    queue.remove(16);
    queue.remove(16);
    expect([queue.length(1, 0), queue.length(1, 1), queue.length(0, 0)]).toEqual([3, 1, 0]);
    expect(emptied(queue, 1, 0)).toEqual([8, 24, 32]);
    expect([queue.length(1, 0), queue.first(1, 0), queue.first(1, 1)]).toEqual([0, NIL, 40]);
  });

  test("remembers of a folio that was shifted whether it is partially mapped, of a removed one not", () => {
    const { queue, folios } = create();
    for (const folio of [8, 16]) {
      queue.add(folio, 0);
      folios.flags[folio + 1]! |= PG_PARTIALLY_MAPPED;
    }
    expect(queue.shift(1, 0)).toBe(8);
    queue.remove(16);
    expect([queue.isPartiallyMapped(8), queue.isPartiallyMapped(16)]).toEqual([true, false]);
    expect([queue.isQueued(8), queue.isQueued(16)]).toEqual([false, false]);
  });

  test("is appended to that of the parent when its memcg goes away (REPAR-01)", () => {
    const { queue, folios } = create();
    folios.memcg[32] = 2;
    for (const folio of [8, 32, 16]) queue.add(folio, 0);
    queue.reparent(1, 2, 0);
    expect(queue.length(1, 0)).toBe(0);
    expect(emptied(queue, 2, 0)).toEqual([32, 8, 16]);
    expect(folios.memcg[16]).toBe(2);
  });

  test("never has single pages", () => {
    const { queue, folios } = create();
    folios.prepare(48, 0, 1);
    expect(queue.isQueued(48)).toBe(false);
    queue.remove(48);
    expect(queue.length(1, 0)).toBe(0);
  });
});
