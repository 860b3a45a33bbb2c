import { describe, expect, test } from "vitest";
import type { Memcg, Memory } from "../../src/index.ts";
import { listMachine } from "../machine.ts";

/** `/a`, `/a/b`, `/a/b/c`, `/a/d` and `/e`, made in another order than that of the tree. */
function tree(memory: Memory): Memcg[] {
  const a = memory.createMemcg(memory.root, 10, "a");
  const e = memory.createMemcg(memory.root, 11, "e");
  const b = memory.createMemcg(a, 12, "b");
  const d = memory.createMemcg(a, 13, "d");
  const c = memory.createMemcg(b, 14, "c");
  return [a, b, c, d, e];
}

describe("the tree", () => {
  test("names memcgs by their path from the root", () => {
    const { memory } = listMachine();
    const paths = tree(memory).map(({ path }) => path);
    expect([memory.root.path, ...paths]).toEqual(["/", "/a", "/a/b", "/a/b/c", "/a/d", "/e"]);
  });

  test("links parents and children, in the order of creation", () => {
    const { memory } = listMachine();
    const [a, b, c, d, e] = tree(memory);
    expect([memory.root.parent, a!.parent, c!.parent]).toEqual([null, memory.root, b]);
    expect([memory.root.children, a!.children, c!.children]).toEqual([[a, e], [b, d], []]);
  });

  test("is walked parents before children, children in order (TXT-01)", () => {
    const { memory } = listMachine();
    const [a, b, c, d, e] = tree(memory);
    expect([...memory.root.preOrder()]).toEqual([memory.root, a, b, c, d, e]);
    expect([...b!.preOrder()]).toEqual([b, c]);
  });
});

describe("a new memcg", () => {
  test("has no charge, no events and an empty mm list (INIT-03)", () => {
    const { memory } = listMachine();
    const { root } = memory;
    expect([root.charged, Math.max(...root.vmstat.values), [...root.mmList.walk()]]).toEqual([
      0,
      0,
      [],
    ]);
  });
});
