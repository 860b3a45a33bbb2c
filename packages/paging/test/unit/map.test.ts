import { EEXIST, EINVAL, ENOMEM } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { TASK_SIZE_PAGES } from "../../src/index.ts";
import { BASE, createMachine, READ_WRITE, touch, withRegion } from "../machine.ts";

test("what is mapped already is EEXIST, an empty range EINVAL, one beyond user addresses ENOMEM", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  const map = (start: number, pages: number): number =>
    machine.paging.mmapAnon(task.mm!, start, pages, READ_WRITE);
  expect(map(BASE + 7, 4)).toBe(-EEXIST);
  expect(map(BASE - 4, 5)).toBe(-EEXIST);
  expect(map(BASE + 2, 2)).toBe(-EEXIST);
  expect(map(BASE + 100, 0)).toBe(-EINVAL);
  expect(map(TASK_SIZE_PAGES - 1, 2)).toBe(-ENOMEM);
  expect(map(TASK_SIZE_PAGES - 1, 1)).toBe(0);
  expect(task.mm!.vmas.length).toBe(2);
});

test("a mapping beside one with the same flags becomes one VMA with it, on both sides", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  touch(machine, task, 0, 8, "w");
  machine.paging.mmapAnon(task.mm!, BASE + 16, 8, READ_WRITE);
  expect(task.mm!.vmas.length).toBe(2);
  machine.paging.mmapAnon(task.mm!, BASE + 8, 8, READ_WRITE);
  expect(task.mm!.vmas.map((vma) => [vma.start, vma.end])).toEqual([[BASE, BASE + 24]]);
  touch(machine, task, 8, 16, "w");
  expect(task.mm!.anonPages).toBe(24);
});

test("other flags, or another anon_vma, keep neighbours apart", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  machine.paging.mmapAnon(task.mm!, BASE + 8, 8, 1);
  machine.paging.mmapAnon(task.mm!, BASE + 32, 8, READ_WRITE);
  touch(machine, task, 0, 1, "w");
  touch(machine, task, 32, 1, "w");
  machine.paging.munmap(task, BASE + 8, 8);
  machine.paging.mmapAnon(task.mm!, BASE + 8, 24, READ_WRITE);
  expect(task.mm!.vmas.map((vma) => [vma.start - BASE, vma.end - BASE])).toEqual([
    [0, 32],
    [32, 40],
  ]);
});
