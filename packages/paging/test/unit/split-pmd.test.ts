import { PG_DIRTY, THP_DEFERRED_SPLIT_PAGE } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { folioAt } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, type Machine, touch, withRegion } from "../machine.ts";

function hugeMachine(): Machine {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  return machine;
}

function deferred({ memory }: Machine): number {
  return memory.vmstat.values[THP_DEFERRED_SPLIT_PAGE] as number;
}

test("a dirty leaf leaves its folio dirty, a clean one does not (PT-16; fixture 72)", () => {
  const machine = hugeMachine();
  const task = withRegion(machine, 1024);
  touch(machine, task, 0, 1, "w");
  touch(machine, task, 512, 1, "w");
  machine.paging.madvise(task, BASE + 512, 512, "free");
  const { flags } = machine.memory.folios;
  const [first, second] = [0, 512].map((page) => folioAt(machine.memory, task.mm!, page));
  expect((flags[first!] as number) & PG_DIRTY).toBe(0);
  machine.paging.munmap(task, BASE + 511, 1);
  machine.paging.munmap(task, BASE + 1000, 1);
  expect((flags[first!] as number) & PG_DIRTY).toBe(PG_DIRTY);
  expect((flags[second!] as number) & PG_DIRTY).toBe(0);
});

test("in a locked VMA the PTEs lock the folio before the leaf unlocks it (fixture 98)", () => {
  const machine = hugeMachine();
  const task = withRegion(machine, 512);
  touch(machine, task, 0, 1, "w");
  machine.paging.mlock(task, BASE, 512);
  const folio = folioAt(machine.memory, task.mm!, 0);
  machine.batches.take();
  machine.paging.madvise(task, BASE + 100, 10, "random");
  expect(machine.batches.take()).toEqual([`mlock ${folio}`, `munlock ${folio}`]);
});

test("losing the last mapping of a part defers a split, once a folio (FOL-13; fixture 73)", () => {
  const machine = hugeMachine();
  const task = withRegion(machine, 1024);
  touch(machine, task, 0, 1, "w");
  touch(machine, task, 512, 1, "w");
  machine.paging.munmap(task, BASE + 512, 512);
  expect(deferred(machine)).toBe(0);
  machine.paging.munmap(task, BASE, 1);
  machine.paging.munmap(task, BASE + 8, 4);
  expect(deferred(machine)).toBe(1);
});

test("a part that another address space maps defers no split until that lets go too (FOL-13; fixture 73)", () => {
  const machine = hugeMachine();
  const parent = withRegion(machine, 512);
  touch(machine, parent, 0, 1, "w");
  const child = forkTask(machine, parent);
  machine.paging.madvise(parent, BASE, 8, "dontneed");
  touch(machine, parent, 100, 1, "w");
  expect(deferred(machine)).toBe(0);
  machine.paging.munmap(child, BASE, 512);
  expect(deferred(machine)).toBe(1);
});

test("a partly unmapped folio below 2 MiB is not counted (fixture 73)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(4, "always");
  const task = withRegion(machine, 16);
  touch(machine, task, 0, 1, "w");
  machine.paging.munmap(task, BASE, 3);
  expect(deferred(machine)).toBe(0);
});
