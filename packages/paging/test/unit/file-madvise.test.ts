import { EINVAL, type Mm, PG_REFERENCED, VM_LOCKED } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { cacheText } from "../describe-file.ts";
import { BASE, forkTask } from "../machine.ts";
import { createMappedMachine, READ_ONLY, SHARED } from "../mapped-machine.ts";

test("MADV_COLD ages entries and deactivates folios that one mapping alone maps whole (REF-22)", () => {
  const machine = createMappedMachine(256, SHARED);
  const { paging, task0, memory, file, batches } = machine;
  machine.cache(5, 64, 96);
  machine.access(64, 1, "r");
  machine.access(96, 1, "w");
  const child = forkTask(machine, task0);
  machine.access(64, 1, "r", child);
  batches.take();
  expect(paging.madvise(task0, BASE, 256, "cold")).toBe(0);
  expect(machine.pte()).toBe(".64y32O32.128");
  const cold = memory.pageCache.lookup(file, 96);
  expect(batches.take().filter((call) => call !== "drain")).toEqual([`deactivate ${cold}`]);
  expect((memory.folios.flags[cold] as number) & PG_REFERENCED).toBe(0);
});

test("MADV_COLD of folios of two pages works like that of others (FOL-12)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  const { paging, task0 } = machine;
  machine.cache(1, 28);
  machine.access(28, 1, "r");
  const child = forkTask(machine, task0);
  machine.access(28, 1, "r", child);
  machine.batches.drainAll();
  paging.madvise(task0, BASE, 64, "cold");
  // Both map it: a part would be left alone as well.
  expect(paging.madvise(task0, BASE + 28, 1, "cold")).toBe(0);
  expect(machine.pte()).toBe(".28y2.34");
  paging.munmap(child, BASE, 64);
  paging.madvise(task0, BASE, 64, "cold");
  expect(machine.pte()).toBe(".28o2.34");
  expect(paging.madvise(task0, BASE + 28, 1, "cold")).toBe(0);
  expect(machine.pte()).toBe(".64");
  expect(machine.violations()).toEqual([]);
});

test("MADV_FREE is EINVAL for files and shared memory, and does nothing", () => {
  const machine = createMappedMachine(64, SHARED);
  machine.access(0, 4, "w");
  expect(machine.paging.madvise(machine.task0, BASE, 4, "free")).toBe(-EINVAL);
  const task = machine.task();
  machine.paging.mmapAnon(task.mm as Mm, BASE, 4, SHARED);
  expect(machine.paging.madvise(task, BASE, 4, "free")).toBe(-EINVAL);
  expect(machine.pte()).toBe("Y4.60");
});

test("MADV_COLD of a large folio's part splits it and unmaps it; MADV_FREE is still EINVAL", () => {
  const machine = createMappedMachine(256, SHARED);
  machine.cache(5, 64);
  machine.access(64, 4, "r");
  machine.batches.drainAll();
  expect(machine.paging.madvise(machine.task0, BASE + 64, 4, "free")).toBe(-EINVAL);
  const folio = machine.memory.pageCache.lookup(machine.file, 64);
  expect(machine.memory.folios.isLarge(folio)).toBe(true);
  expect(machine.paging.madvise(machine.task0, BASE + 64, 4, "cold")).toBe(0);
  expect(machine.memory.folios.isLarge(folio)).toBe(false);
  expect(machine.memory.pageCache.lookup(machine.file, 70)).toBe(folio + 6);
  expect(machine.pte()).toBe(".256");
  expect(machine.violations()).toEqual([]);
});

test("MADV_DONTNEED leaves the page cache alone, and refuses locked VMAs", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  const { paging, task0 } = machine;
  machine.access(0, 16, "r");
  expect(paging.madvise(task0, BASE, 8, "dontneed")).toBe(0);
  expect(machine.pte()).toBe(".8y8.48");
  expect(machine.file.cachedPages).toBe(32);
  paging.mlock(task0, BASE, 8);
  expect(paging.madvise(task0, BASE, 8, "dontneed")).toBe(-EINVAL);
});

test("MADV_WILLNEED reads exactly the range of the file, page by page, and drains nothing", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.paging.munmap(machine.task0, BASE, 20);
  machine.batches.take();
  expect(machine.paging.madvise(machine.task0, BASE + 40, 6, "willneed")).toBe(0);
  expect(cacheText(machine.memory, machine.file)).toBe("40 41 42 43 44 45");
  expect(machine.batches.take()).not.toContain("drain");
  expect(machine.pte()).toBe(".64");
});

test("MADV_WILLNEED of shared memory drains, as nothing of it is out", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  const task = machine.task();
  machine.paging.mmapAnon(task.mm as Mm, BASE, 4, SHARED);
  machine.batches.take();
  machine.paging.madvise(task, BASE, 4, "willneed");
  expect(machine.batches.take()).toEqual(["drain"]);
  expect(machine.memory.files[2]?.cachedPages).toBe(0);
});

test("locked VMAs refuse MADV_COLD", () => {
  const machine = createMappedMachine(16, READ_ONLY);
  machine.paging.mlock(machine.task0, BASE, 16);
  expect(machine.task0.mm!.vmas[0]!.flags & VM_LOCKED).toBe(VM_LOCKED);
  expect(machine.paging.madvise(machine.task0, BASE, 16, "cold")).toBe(-EINVAL);
});
