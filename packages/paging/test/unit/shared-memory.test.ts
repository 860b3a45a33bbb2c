import {
  type Mm,
  PG_DIRTY,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UPTODATE,
  STATE_FILE,
  STATE_FILE_DIRTY,
  STATE_SHMEM,
  type Task,
} from "@lrugen/mm-core";
import { beforeEach, expect, test } from "vitest";
import { FAULT_SIGBUS } from "../../src/index.ts";
import { folioAt, pteString } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, type Machine, touch } from "../machine.ts";
import { SHARED, violationsOf } from "../mapped-machine.ts";

let machine: Machine;
let task: Task;
const PAGES = 40;

beforeEach(() => {
  machine = createMachine();
  task = machine.task();
  machine.paging.mmapAnon(task.mm as Mm, BASE, PAGES, SHARED);
});

function pte(who: Task = task): string {
  return pteString(machine.memory, who.mm as Mm, PAGES);
}

function flagsAt(page: number): number {
  const folio = folioAt(machine.memory, task.mm as Mm, page);
  return machine.memory.folios.flags[folio] as number;
}

test("each first access is a minor fault that gets a page of zeroes; only a write dirties it (PGC-03)", () => {
  touch(machine, task, 0, 4, "r");
  touch(machine, task, 5, 1, "w");
  expect(pte()).toBe("y4.1Y1.34");
  expect([task.mm?.minorFaults, task.mm?.majorFaults]).toEqual([5, 0]);
  const kept = PG_SWAPBACKED | PG_UPTODATE | PG_REFERENCED | PG_DIRTY;
  expect(flagsAt(0) & kept).toBe(PG_SWAPBACKED | PG_UPTODATE | PG_REFERENCED);
  expect(flagsAt(5) & kept).toBe(kept);
  expect(violationsOf(machine)).toEqual([]);
});

test("its pages are counted as file and shmem, never as file_dirty", () => {
  touch(machine, task, 0, 7, "w");
  const { memory, memcg } = machine;
  const counted = [STATE_FILE, STATE_SHMEM, STATE_FILE_DIRTY].map((item) =>
    memory.states.of(item, memcg.index),
  );
  expect(counted).toEqual([7, 7, 0]);
  expect([task.mm?.filePages, task.mm?.anonPages]).toEqual([7, 0]);
});

test("a child has no entries, and maps what is there around its first fault (fixture 35)", () => {
  touch(machine, task, 0, 16, "w");
  const child = forkTask(machine, task);
  expect(pte(child)).toBe(".40");
  touch(machine, child, 0, 8, "r");
  // Writable and of dirty folios, the entries are dirty at once.
  expect(pte(child)).toBe("Y16.24");
  expect(child.mm?.minorFaults).toBe(1);
  expect(violationsOf(machine)).toEqual([]);
});

test("an entry that a read made is writable, so a write through it is no fault", () => {
  touch(machine, task, 0, 1, "r");
  touch(machine, task, 0, 1, "w");
  expect(task.mm?.minorFaults).toBe(1);
  expect(pte()).toBe("Y1.39");
  expect(flagsAt(0) & PG_DIRTY).toBe(0);
  machine.paging.madvise(task, BASE, 1, "dontneed");
  touch(machine, task, 0, 1, "r");
  expect(flagsAt(0) & PG_DIRTY).toBe(PG_DIRTY);
});

test("parent and child see each other's pages, and writes copy nothing", () => {
  const child = forkTask(machine, task);
  touch(machine, child, 20, 1, "w");
  touch(machine, task, 20, 1, "w");
  const { memory } = machine;
  expect(folioAt(memory, child.mm as Mm, 20)).toBe(folioAt(memory, task.mm as Mm, 20));
  expect(machine.memcg.charged).toBe(1);
});

test("pages outlive every mapping of them but not the last mapping of their file", () => {
  touch(machine, task, 0, PAGES, "w");
  const child = forkTask(machine, task);
  machine.paging.munmap(task, BASE, PAGES);
  machine.batches.drainAll();
  expect(machine.memcg.charged).toBe(PAGES);
  const file = (child.mm as Mm).vmas[0]!.file!.id;
  machine.mms.splice(machine.mms.indexOf(child.mm as Mm), 1);
  machine.paging.exitMm(child, child.mm as Mm);
  expect(machine.memcg.charged).toBe(0);
  expect(machine.memory.files[file]).toBe(null);
  expect(violationsOf(machine)).toEqual([]);
});

test("a part of the mapping keeps all of the file", () => {
  touch(machine, task, 0, PAGES, "w");
  machine.paging.munmap(task, BASE, 20);
  machine.batches.drainAll();
  expect(machine.memcg.charged).toBe(PAGES);
  machine.paging.munmap(task, BASE + 20, 20);
  expect(machine.memcg.charged).toBe(0);
});

test("two mappings are two files", () => {
  machine.paging.mmapAnon(task.mm as Mm, BASE + PAGES, 10, SHARED);
  expect((task.mm as Mm).vmas.map((vma) => vma.file?.id)).toEqual([1, 2]);
});

test("beyond the end of shared memory that was cut is a SIGBUS", () => {
  touch(machine, task, 0, PAGES, "w");
  const file = machine.memory.files[1]!;
  machine.paging.truncate(task, file, 10);
  expect(pte()).toBe("Y10.30");
  expect(machine.paging.access(task, BASE + 10, false)).toBe(FAULT_SIGBUS);
  expect(violationsOf(machine)).toEqual([]);
});
