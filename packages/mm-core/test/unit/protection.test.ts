import { createFunctionalHardware } from "@lrugen/hardware";
import { describe, expect, test } from "vitest";
import {
  calculateProtection,
  isBelowLow,
  isBelowMin,
  type Memcg,
  Memory,
  singleNode,
} from "../../src/index.ts";

/** /p with children a and b, each with its settings and usage in pages. */
function family(
  parent: Partial<Memcg["memory"]>,
  ...children: readonly Partial<Memcg["memory"]>[]
): { root: Memcg; p: Memcg; kids: Memcg[] } {
  const memory = new Memory(createFunctionalHardware({ cpus: 1 }), { nodes: singleNode(1024) });
  const p = memory.createMemcg(memory.root, 2, "p");
  Object.assign(p.memory, parent);
  const kids = children.map((settings, i) => {
    const kid = memory.createMemcg(p, 3 + i, `c${i}`);
    Object.assign(kid.memory, settings);
    return kid;
  });
  return { root: memory.root, p, kids };
}

describe("calculateProtection", () => {
  test("a child of the target is protected by its full settings (CHG-36)", () => {
    const { p, root } = family({ min: 40, low: 100, usage: 60 });
    calculateProtection(null, p);
    expect([p.memory.emin, p.memory.elow]).toEqual([40, 100]);
    calculateProtection(root, p);
    expect(p.memory.emin).toBe(40);
  });

  test("deeper down no more than is used, and in all no more than the parent has (CHG-36)", () => {
    const { p, kids } = family(
      { min: 60, usage: 200 },
      { min: 80, usage: 100 },
      { min: 50, usage: 40 },
    );
    for (const memcg of [p, ...kids]) calculateProtection(null, memcg);
    // Claims 80 and 40 of 60: two thirds and one third.
    expect(kids.map(({ memory }) => memory.emin)).toEqual([40, 20]);
  });

  test("what the parent has left is shared by use only where the mount option says so (CHG-36)", () => {
    const shares = [false, true].map((recursive) => {
      const { p, kids } = family(
        { low: 100, usage: 200 },
        { low: 20, usage: 80 },
        { low: 0, usage: 120 },
      );
      for (const memcg of [p, ...kids]) calculateProtection(null, memcg, recursive);
      return kids.map(({ memory }) => memory.elow);
    });
    // 80 unclaimed over 60 and 120 unprotected pages of 180.
    expect(shares).toEqual([
      [20, 0],
      [46, 53],
    ]);
  });

  test("leaves the target, the root and what is empty as they were (CHG-36)", () => {
    const { root, p, kids } = family({ min: 5, usage: 10 }, { min: 5 });
    for (const memcg of [root, p, kids[0]!]) calculateProtection(p, memcg);
    expect([root, p, ...kids].map(({ memory }) => memory.emin)).toEqual([0, 0, 0]);
  });
});

describe("below its protection", () => {
  test("is a memcg that uses no more than is protected (CHG-37)", () => {
    const { p } = family({ emin: 5, elow: 6, usage: 6 });
    expect([isBelowMin(null, p), isBelowLow(null, p)]).toEqual([false, true]);
    p.memory.emin = 6;
    expect(isBelowMin(null, p)).toBe(true);
  });

  test("are neither the target itself nor the root (CHG-37)", () => {
    const { p, root } = family({ emin: 9, elow: 9, usage: 1 });
    expect([isBelowMin(p, p), isBelowLow(p, p), isBelowMin(null, root)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
