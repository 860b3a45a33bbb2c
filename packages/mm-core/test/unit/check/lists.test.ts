import { describe, expect, test } from "vitest";
import { LRU_ACTIVE_FILE, NIL } from "../../../src/index.ts";
import { checkLists } from "../../../src/check/index.ts";
import { populatedMachine } from "../../populated-machine.ts";

const GEN2 = "memcg / node 0 gen 2 anon Normal";

describe("checkLists (MINV-07)", () => {
  test("has nothing to say about sound lists", () => {
    expect(checkLists(populatedMachine().memory)).toEqual([]);
  });

  test("finds a backward link that disagrees", () => {
    const { memory, anon, coldAnon, large } = populatedMachine();
    memory.lists.prev[coldAnon] = large;
    expect(checkLists(memory)).toEqual([
      `MINV-07: ${GEN2}: prev of folio ${coldAnon} is folio ${large}, expected folio ${anon}`,
    ]);
  });

  test("finds a backward link of a head that disagrees", () => {
    const { memory, anon, coldAnon } = populatedMachine();
    const head = memory.lists.next[coldAnon]!;
    memory.lists.prev[head] = anon;
    expect(checkLists(memory)).toEqual([
      `MINV-07: ${GEN2}: prev of ${GEN2} is folio ${anon}, expected folio ${coldAnon}`,
    ]);
  });

  test("finds a list that ends nowhere", () => {
    const { memory, anon } = populatedMachine();
    memory.lists.next[anon] = NIL;
    expect(checkLists(memory)).toEqual([
      `MINV-07: ${GEN2}: next of folio ${anon} is nothing, ` +
        "expected a page frame or the list's head",
    ]);
  });

  test("finds a list that ends at another list's head", () => {
    const { memory, coldAnon, a } = populatedMachine();
    memory.lists.next[coldAnon] = a.lruvecs[1]!.listHead + LRU_ACTIVE_FILE;
    expect(checkLists(memory)).toEqual([
      `MINV-07: ${GEN2}: next of folio ${coldAnon} is memcg /a node 1 active_file, ` +
        "expected a page frame or the list's head",
    ]);
  });

  test("finds a folio on two lists", () => {
    const { memory, anon, a } = populatedMachine();
    memory.lists.add(a.lruvecs[0]!.listHead, anon);
    expect(checkLists(memory)).toContain(
      `MINV-07: memcg /a node 0 inactive_anon: folio ${anon} is also on ${GEN2}, ` +
        "expected it on one",
    );
  });

  test("finds a folio twice on one list, and comes to an end", () => {
    const { memory, anon, coldAnon, large } = populatedMachine();
    memory.lists.next[coldAnon] = large;
    expect(checkLists(memory)).toEqual([
      `MINV-07: ${GEN2}: prev of folio ${large} is ${GEN2}, expected folio ${coldAnon}`,
      `MINV-07: ${GEN2}: folio ${large} is also on ${GEN2}, expected it on one`,
    ]);
    expect(memory.lists.next[large]).toBe(anon);
  });

  test("watches lists that policies made for themselves", () => {
    const { memory, offLru } = populatedMachine();
    const head = memory.lists.allocHeads(1);
    memory.lists.add(head, offLru);
    expect(checkLists(memory)).toEqual([]);
    memory.lists.prev[head] = NIL;
    expect(checkLists(memory)).toEqual([
      `MINV-07: list head ${head}: prev of list head ${head} is nothing, ` +
        `expected folio ${offLru}`,
    ]);
  });

  test("watches the free lists (INV-20)", () => {
    const { memory } = populatedMachine();
    const head = memory.allocator.freeList(2, 10);
    const block = memory.lists.first(head);
    memory.lists.prev[block] = block;
    expect(checkLists(memory)).toEqual([
      `INV-20: free list of node 1 Normal order 10: prev of folio ${block} is folio ${block}, ` +
        "expected free list of node 1 Normal order 10",
    ]);
  });
});
