import { describe, expect, test } from "vitest";
import { AnonVmas, type Memory, VM_READ, Vma } from "../../src/index.ts";
import { listMachine } from "../machine.ts";

/** A VMA of pages 0..9 in an address space of its own. */
function newVma(memory: Memory): Vma {
  return new Vma(memory.createMm(memory.root), 0, 10, VM_READ);
}

const { memory } = listMachine();

describe("prepare", () => {
  test("makes one anon_vma for a VMA, on first use", () => {
    const anonVmas = new AnonVmas();
    const vma = newVma(memory);
    const anon = anonVmas.prepare(vma);
    expect([anon.id, anon.vmas, vma.anonVma, vma.anonVmaChain]).toEqual([1, [vma], anon, [anon]]);
    expect(anonVmas.prepare(vma)).toBe(anon);
    expect(anonVmas.get(1)).toBe(anon);
  });

  test("gives each VMA its own", () => {
    const anonVmas = new AnonVmas();
    const ids = [newVma(memory), newVma(memory)].map((vma) => anonVmas.prepare(vma).id);
    expect(ids).toEqual([1, 2]);
  });
});

describe("fork (RMAP-01)", () => {
  test("of a VMA without anon memory links nothing", () => {
    const anonVmas = new AnonVmas();
    const [parent, child] = [newVma(memory), newVma(memory)];
    anonVmas.fork(parent, child);
    expect([child.anonVma, child.anonVmaChain]).toEqual([null, []]);
  });

  test("lets the child map the parent's folios, not the parent the child's", () => {
    const anonVmas = new AnonVmas();
    const [parent, child] = [newVma(memory), newVma(memory)];
    const inherited = anonVmas.prepare(parent);
    anonVmas.fork(parent, child);
    const own = anonVmas.prepare(child);
    expect(own).not.toBe(inherited);
    expect([inherited.vmas, own.vmas]).toEqual([[parent, child], [child]]);
  });

  test("of a fork reaches back to the first ancestor", () => {
    const anonVmas = new AnonVmas();
    const [first, second, third] = [newVma(memory), newVma(memory), newVma(memory)];
    anonVmas.prepare(first);
    anonVmas.fork(first, second);
    anonVmas.fork(second, third);
    expect(third.anonVmaChain.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(anonVmas.get(1)?.vmas).toEqual([first, second, third]);
  });
});

describe("clone", () => {
  test("lets the new half of a split VMA map what the old half maps, under the same anon_vma", () => {
    const anonVmas = new AnonVmas();
    const [parent, child, half] = [newVma(memory), newVma(memory), newVma(memory)];
    anonVmas.prepare(parent);
    anonVmas.fork(parent, child);
    anonVmas.clone(child, half);
    expect([half.anonVma, half.anonVmaChain]).toEqual([child.anonVma, child.anonVmaChain]);
    expect(anonVmas.get(1)?.vmas).toEqual([parent, child, half]);
    expect(anonVmas.get(2)?.vmas).toEqual([child, half]);
  });

  test("links a VMA once to what it may map already", () => {
    const anonVmas = new AnonVmas();
    const [parent, child] = [newVma(memory), newVma(memory)];
    anonVmas.prepare(parent);
    anonVmas.fork(parent, child);
    anonVmas.clone(parent, child);
    expect(anonVmas.get(1)?.vmas).toEqual([parent, child]);
    anonVmas.unlink(child);
    expect(anonVmas.get(1)?.vmas).toEqual([parent]);
  });

  test("of a VMA without anon memory leaves the other without", () => {
    const anonVmas = new AnonVmas();
    const [from, to] = [newVma(memory), newVma(memory)];
    anonVmas.clone(from, to);
    expect([to.anonVma, to.anonVmaChain]).toEqual([null, []]);
  });
});

describe("unlink", () => {
  test("keeps an anon_vma as long as one VMA may map its folios", () => {
    const anonVmas = new AnonVmas();
    const [parent, child] = [newVma(memory), newVma(memory)];
    anonVmas.prepare(parent);
    anonVmas.fork(parent, child);
    anonVmas.unlink(parent);
    expect(anonVmas.get(1)?.vmas).toEqual([child]);
    expect([parent.anonVma, parent.anonVmaChain]).toEqual([null, []]);
    anonVmas.unlink(child);
    expect([anonVmas.get(1), anonVmas.get(2)]).toEqual([undefined, undefined]);
  });

  test("never lets a number be used again", () => {
    const anonVmas = new AnonVmas();
    const vma = newVma(memory);
    anonVmas.prepare(vma);
    anonVmas.unlink(vma);
    expect(anonVmas.prepare(vma).id).toBe(2);
  });
});
