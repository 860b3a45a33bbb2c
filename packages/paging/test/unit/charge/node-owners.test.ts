import { describe, expect, test } from "vitest";
import { NodeOwners, placeOf } from "../../../src/charge/node-owners.ts";

describe("the owners of a tree's nodes", () => {
  test("are 0 where there is no node, and counted", () => {
    const nodes = new NodeOwners();
    expect([nodes.get(0, 0), nodes.get(3, 9999), nodes.count, nodes.top]).toEqual([0, 0, 0, -1]);
    nodes.set(0, 300, 5);
    nodes.set(0, 300, 6);
    nodes.set(2, 0, 5);
    expect([nodes.get(0, 300), nodes.get(1, 0), nodes.count, nodes.top]).toEqual([6, 0, 2, 2]);
    nodes.set(2, 0, 0);
    expect([nodes.count, nodes.top]).toEqual([1, -1]);
  });

  test("may have siblings of the first, below the same node only", () => {
    const nodes = new NodeOwners();
    nodes.set(0, 0, 1);
    nodes.set(0, 64, 1);
    expect(nodes.hasSiblingOfFirst(0)).toBe(false);
    nodes.set(0, 63, 1);
    expect(nodes.hasSiblingOfFirst(0)).toBe(true);
  });

  test("are replaced on all levels", () => {
    const nodes = new NodeOwners();
    for (const place of [0, 1, 130]) nodes.set(0, place, 7);
    nodes.set(1, 2, 7);
    nodes.set(1, 0, 8);
    nodes.replace(7, 9);
    expect([0, 1, 130].map((place) => nodes.get(0, place))).toEqual([9, 9, 9]);
    expect([nodes.get(1, 2), nodes.get(1, 0), nodes.count]).toEqual([9, 8, 5]);
  });
});

test("a page is below one node of each level", () => {
  expect([0, 1, 2].map((level) => placeOf(5000, level))).toEqual([78, 1, 0]);
});
