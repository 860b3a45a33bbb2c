import { Memcg } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { ObjectStock } from "../../../src/charge/object-stock.ts";
import { PageStock } from "../../../src/charge/page-stock.ts";

function tree(): { root: Memcg; memcgs: Memcg[] } {
  const root = new Memcg(0, 1, null, "");
  const memcgs = Array.from({ length: 9 }, (_, i) => new Memcg(i + 1, i + 2, root, `m${i}`));
  for (const memcg of memcgs) memcg.memory.charge(1000);
  return { root, memcgs };
}

describe("the page stock of a CPU", () => {
  test("gives all that is asked for or nothing, and never more than 64 (CHG-11)", () => {
    const [memcg] = tree().memcgs as [Memcg];
    const stock = new PageStock();
    stock.refill(memcg, 10);
    expect(stock.consume(memcg, 11)).toBe(false);
    expect(stock.pagesOf(memcg)).toBe(10);
    expect(stock.consume(memcg, 10)).toBe(true);
    expect(stock.consume(memcg, 1)).toBe(false);
    expect(stock.consume(memcg, 65)).toBe(false);
    expect(memcg.memory.usage).toBe(1000);
  });

  test("above 64 pages a slot is uncharged as a whole; more than 64 never come in (CHG-12)", () => {
    const [memcg] = tree().memcgs as [Memcg];
    const stock = new PageStock();
    stock.refill(memcg, 60);
    stock.refill(memcg, 4);
    expect(stock.pagesOf(memcg)).toBe(64);
    stock.refill(memcg, 1);
    expect(stock.pagesOf(memcg)).toBe(0);
    expect(memcg.memory.usage).toBe(935);
    stock.refill(memcg, 65);
    expect(memcg.memory.usage).toBe(870);
  });

  test("the eighth memcg takes the slot of the first, the ninth that of the second (CHG-10, CHG-12)", () => {
    const { memcgs } = tree();
    const stock = new PageStock();
    for (const memcg of memcgs) stock.refill(memcg, 5);
    expect(memcgs.map((memcg) => stock.pagesOf(memcg))).toEqual([0, 0, 5, 5, 5, 5, 5, 5, 5]);
    expect(memcgs.map(({ memory }) => memory.usage).slice(0, 3)).toEqual([995, 995, 1000]);
  });

  test("is drained whole as soon as it holds something of the subtree (CHG-13)", () => {
    const { root, memcgs } = tree();
    const stock = new PageStock();
    stock.refill(memcgs[0]!, 3);
    expect(stock.holds(memcgs[1]!)).toBe(false);
    expect(stock.holds(root)).toBe(true);
    stock.drain();
    expect(stock.holds(root)).toBe(false);
    expect(memcgs[0]!.memory.usage).toBe(997);
  });
});

/** An object stock, and how many pages it gave back. */
function setUp(): { memcg: Memcg; other: Memcg; stock: ObjectStock; freed: number[] } {
  const [memcg, other] = tree().memcgs as [Memcg, Memcg];
  const freed: number[] = [];
  const stock = new ObjectStock({ uncharge: (_, pages) => freed.push(pages) }, new Map());
  return { memcg, other, stock, freed };
}

describe("the object stock of a CPU", () => {
  test("keeps what a charge left over for the next, up to a page (CHG-41)", () => {
    const { memcg, stock, freed } = setUp();
    stock.refill(memcg, 592);
    stock.refill(memcg, 3504);
    expect(freed).toEqual([]);
    expect(stock.consume(memcg, 4096)).toBe(true);
    expect(stock.consume(memcg, 1)).toBe(false);
  });

  test("whole pages go back once it is more than a page (CHG-41)", () => {
    const { memcg, stock, freed } = setUp();
    stock.refill(memcg, 4096);
    expect(freed).toEqual([]);
    stock.refill(memcg, 592);
    expect(freed).toEqual([1]);
    expect(stock.consume(memcg, 593)).toBe(false);
    expect(stock.consume(memcg, 592)).toBe(true);
  });

  test("a drained rest stays charged and comes back with the next slot (CHG-41)", () => {
    const { memcg, stock, freed } = setUp();
    stock.refill(memcg, 2664);
    stock.drain();
    expect(freed).toEqual([]);
    expect(stock.holds(memcg)).toBe(false);
    stock.refill(memcg, 50);
    expect(stock.consume(memcg, 2714)).toBe(true);
  });

  test("a rest that comes back with a charge may make it more than a page too (scenario 162)", () => {
    const { memcg, stock, freed } = setUp();
    stock.refill(memcg, 2664);
    stock.drain();
    stock.refill(memcg, 3504);
    expect(freed).toEqual([1]);
    expect(stock.consume(memcg, 2664 + 3504 - 4096)).toBe(true);
  });
});
