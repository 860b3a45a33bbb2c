import { type Mm, VM_HUGEPAGE, VM_RAND_READ } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { folioAt, pmdString } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, READ_WRITE, touch, withRegion } from "../machine.ts";

/** [start, end, flags beyond read and write] of every VMA, relative to BASE. */
function layout(mm: Mm): number[][] {
  return mm.vmas.map((vma) => [vma.start - BASE, vma.end - BASE, vma.flags & ~READ_WRITE]);
}

test("a flag on a part cuts the VMA in three; taking it back makes it one again", () => {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  touch(machine, task, 0, 16, "w");
  machine.paging.madvise(task, BASE + 4, 4, "random");
  expect(layout(task.mm!)).toEqual([
    [0, 4, 0],
    [4, 8, VM_RAND_READ],
    [8, 16, 0],
  ]);
  expect(task.mm!.vmas.map((vma) => vma.pgoff - BASE)).toEqual([0, 4, 8]);
  machine.paging.madvise(task, BASE + 4, 4, "normal");
  expect(layout(task.mm!)).toEqual([[0, 16, 0]]);
});

test("a range next to one with the flag joins it", () => {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  machine.paging.madvise(task, BASE, 4, "random");
  machine.paging.madvise(task, BASE + 4, 4, "random");
  expect(layout(task.mm!)).toEqual([
    [0, 8, VM_RAND_READ],
    [8, 16, 0],
  ]);
});

test("rmap finds folios on both sides of a cut and after a merge (RMAP-01)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  touch(machine, task, 0, 16, "w");
  const folio = folioAt(machine.memory, task.mm!, 12);
  machine.paging.madvise(task, BASE + 8, 8, "random");
  expect(machine.memory.rmap.anonVmasOf(folio)).toEqual([task.mm!.vmas[1]]);
  machine.paging.madvise(task, BASE + 8, 8, "normal");
  expect(machine.memory.rmap.anonVmasOf(folio)).toEqual([task.mm!.vmas[0]]);
});

test("a part without anonymous folios takes over the anon_vma of the part it joins", () => {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  machine.paging.madvise(task, BASE + 8, 8, "random");
  touch(machine, task, 8, 1, "w");
  const folio = folioAt(machine.memory, task.mm!, 8);
  machine.paging.madvise(task, BASE + 8, 8, "normal");
  expect(layout(task.mm!)).toEqual([[0, 16, 0]]);
  expect(machine.memory.rmap.anonVmasOf(folio)).toEqual([task.mm!.vmas[0]]);
});

test("a forked VMA takes in no neighbour without an anon_vma", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 8);
  touch(machine, parent, 0, 8, "w");
  const child = forkTask(machine, parent);
  machine.paging.mmapAnon(child.mm!, BASE + 8, 8, READ_WRITE);
  expect(layout(child.mm!)).toEqual([
    [0, 8, 0],
    [8, 16, 0],
  ]);
});

test("a cut inside a PMD leaf splits the leaf, one on its border does not", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  const task = withRegion(machine, 1024);
  touch(machine, task, 0, 1024, "w");
  machine.paging.madvise(task, BASE, 512, "hugepage");
  expect(pmdString(machine.memory, task.mm!, 1024)).toBe("HH");
  machine.paging.madvise(task, BASE + 1000, 24, "hugepage");
  expect(pmdString(machine.memory, task.mm!, 1024)).toBe("HT");
  expect(layout(task.mm!)).toEqual([
    [0, 512, VM_HUGEPAGE],
    [512, 1000, 0],
    [1000, 1024, VM_HUGEPAGE],
  ]);
});
