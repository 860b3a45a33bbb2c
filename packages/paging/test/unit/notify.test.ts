import type { Mm, MmuNotifier } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { BASE, createMachine, forkTask, type Machine, touch, withRegion } from "../machine.ts";

function range(start: number, end: number): string {
  return `${start - BASE}..${end - BASE}`;
}

/** Subscribes to an address space; returns what it is told, relative to BASE. */
function listen(mm: Mm): string[] {
  const heard: string[] = [];
  const notifier: MmuNotifier = {
    invalidateStart: (start, end) => void heard.push(`start ${range(start, end)}`),
    invalidateEnd: (start, end) => void heard.push(`end ${range(start, end)}`),
    clearFlushYoung: () => false,
    clearYoung: () => false,
    testYoung: () => false,
    release: () => void heard.push("release"),
  };
  mm.notifiers.push(notifier);
  mm.hasNotifiers = true;
  return heard;
}

function hugeMachine(): Machine {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  return machine;
}

test("unmapping, MADV_DONTNEED and MADV_FREE are told with their range; faults and MADV_COLD are not (MMUN-40)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  const heard = listen(task.mm!);
  touch(machine, task, 0, 16, "w");
  machine.paging.madvise(task, BASE, 16, "cold");
  expect(heard).toEqual([]);
  machine.paging.madvise(task, BASE + 2, 2, "free");
  machine.paging.madvise(task, BASE + 4, 2, "dontneed");
  machine.paging.munmap(task, BASE + 6, 4);
  expect(heard).toEqual([
    "start 2..4",
    "end 2..4",
    "start 4..6",
    "end 4..6",
    "start 6..10",
    "end 6..10",
  ]);
});

test("fork tells the parent of each VMA it copies, a copy on write tells the writer of one page", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 16);
  touch(machine, parent, 0, 4, "w");
  const heard = listen(parent.mm!);
  forkTask(machine, parent);
  touch(machine, parent, 3, 1, "w");
  expect(heard).toEqual(["start 0..16", "end 0..16", "start 3..4", "end 3..4"]);
});

test("splitting a PMD leaf, or replacing the huge zero folio, tells of its 2 MiB", () => {
  const machine = hugeMachine();
  const task = withRegion(machine, 1024);
  touch(machine, task, 0, 1, "w");
  touch(machine, task, 512, 1, "r");
  const heard = listen(task.mm!);
  machine.paging.madvise(task, BASE + 100, 900, "random");
  expect(heard).toEqual(["start 0..512", "end 0..512", "start 512..1024", "end 512..1024"]);
  heard.length = 0;
  const other = withRegion(machine, 512);
  machine.paging.access(other, BASE, false);
  const replaced = listen(other.mm!);
  touch(machine, other, 5, 1, "w");
  expect(replaced).toEqual(["start 0..512", "end 0..512"]);
});

test("exit releases the subscribers before anything is unmapped", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  const heard = listen(task.mm!);
  machine.paging.exitMm(task, task.mm!);
  expect(heard).toEqual(["release", "start 0..4", "end 0..4"]);
});
