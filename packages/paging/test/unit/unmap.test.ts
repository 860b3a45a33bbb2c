import { EINVAL, THP_SPLIT_PMD } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { FAULT_SIGSEGV, TASK_SIZE_PAGES } from "../../src/index.ts";
import { folioAt, pmdString, pteString } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, READ_WRITE, touch, withRegion } from "../machine.ts";

test("munmap in the middle leaves two VMAs and their pages", () => {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  touch(machine, task, 0, 16, "w");
  expect(machine.paging.munmap(task, BASE + 4, 4)).toBe(0);
  expect(task.mm!.vmas.map((vma) => [vma.start - BASE, vma.end - BASE, vma.pgoff - BASE])).toEqual([
    [0, 4, 0],
    [8, 16, 8],
  ]);
  expect(pteString(machine.memory, task.mm!, 16)).toBe("Y4.4Y8");
  expect(task.mm!.anonPages).toBe(12);
  expect(machine.paging.access(task, BASE + 5, false)).toBe(FAULT_SIGSEGV);
});

test("munmap over several VMAs and holes takes all of them; where nothing is mapped it succeeds", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  machine.paging.mmapAnon(task.mm!, BASE + 16, 8, READ_WRITE);
  touch(machine, task, 0, 8, "w");
  touch(machine, task, 16, 8, "w");
  expect(machine.paging.munmap(task, BASE + 4, 16)).toBe(0);
  expect(pteString(machine.memory, task.mm!, 24)).toBe("Y4.16Y4");
  expect(machine.paging.munmap(task, BASE + 8, 4)).toBe(0);
  expect(task.mm!.vmas.length).toBe(2);
});

test("an empty range, or one beyond user addresses, is EINVAL", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  expect(machine.paging.munmap(task, BASE, 0)).toBe(-EINVAL);
  expect(machine.paging.munmap(task, TASK_SIZE_PAGES - 1, 2)).toBe(-EINVAL);
  expect(task.mm!.vmas.length).toBe(1);
});

test("page tables go when no neighbour uses their 2 MiB, and stay otherwise", () => {
  const machine = createMachine();
  const task = withRegion(machine, 1536);
  touch(machine, task, 0, 1, "w");
  touch(machine, task, 512, 1, "w");
  touch(machine, task, 1024, 1, "w");
  const { pageTables } = machine.memory;
  const tables = pageTables.nrTables;
  machine.paging.munmap(task, BASE + 256, 512);
  expect(pmdString(machine.memory, task.mm!, 1536)).toBe("TTT");
  machine.paging.munmap(task, BASE, 1024);
  expect(pmdString(machine.memory, task.mm!, 1536)).toBe("..T");
  expect(pageTables.nrTables).toBe(tables - 2);
  machine.paging.munmap(task, BASE + 1024, 512);
  expect(pageTables.nrTables).toBe(1);
  expect([task.mm!.lastGib, task.mm!.lastPmdTable]).toEqual([-1, 0]);
});

test("a new mapping where one was unmapped gets fresh page tables", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  touch(machine, task, 0, 8, "w");
  machine.paging.munmap(task, BASE, 8);
  machine.paging.mmapAnon(task.mm!, BASE, 8, READ_WRITE);
  expect(pteString(machine.memory, task.mm!, 8)).toBe(".8");
  touch(machine, task, 0, 2, "w");
  expect(pteString(machine.memory, task.mm!, 8)).toBe("Y2.6");
});

test("unmapping a part of a large folio drops its pages only; the rest stays mapped", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(3, "always");
  const task = withRegion(machine, 8);
  touch(machine, task, 0, 1, "w");
  const folio = folioAt(machine.memory, task.mm!, 0);
  machine.paging.munmap(task, BASE + 2, 3);
  const { folios } = machine.memory;
  expect([folios.refcount[folio], folios.mapcountOf(folio)]).toEqual([5, 5]);
  expect(folios.nrPagesMappedOf(folio)).toBe(5);
  machine.paging.munmap(task, BASE, 8);
  expect(machine.memcg.charged).toBe(0);
});

test("unmapping a whole PMD leaf splits nothing, a part of it does (CNT-04)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  const task = withRegion(machine, 1024);
  touch(machine, task, 0, 1024, "w");
  const splits = (): number => machine.memory.vmstat.values[THP_SPLIT_PMD] as number;
  machine.paging.munmap(task, BASE, 512);
  expect([splits(), machine.memcg.charged]).toEqual([0, 512]);
  machine.paging.munmap(task, BASE + 1000, 24);
  expect([splits(), machine.memcg.charged]).toEqual([1, 512]);
  expect(pteString(machine.memory, task.mm!, 1024)).toBe(".512Y488.24");
});

test("exit frees memory, page tables and the directory before the mm leaves its list (CSW-35)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  const task = withRegion(machine, 1024);
  const { mm } = task;
  touch(machine, task, 0, 1024, "w");
  machine.paging.mmapAnon(mm!, BASE + 262_144 * 600, 4, READ_WRITE);
  machine.paging.access(task, BASE + 262_144 * 600, true);
  machine.paging.exitMm(task, mm!);
  machine.batches.drainAll();
  expect(machine.policy.deleted).toEqual([{ mm, vmas: 0 }]);
  expect([machine.memcg.charged, mm!.anonPages]).toEqual([0, 0]);
  expect(machine.memory.pageTables.nrTables).toBe(0);
  expect(task.mm).toBe(null);
});

test("a task can end another address space than its own", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 4);
  const child = forkTask(machine, parent);
  machine.paging.exitMm(parent, child.mm!);
  expect(parent.mm).not.toBe(null);
  touch(machine, parent, 0, 4, "w");
});

test("unmapping a locked VMA munlocks its folios, a large one once for each run", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  touch(machine, task, 0, 4, "w");
  machine.paging.thp.setSize(2, "always");
  touch(machine, task, 4, 1, "w");
  machine.paging.mlock(task, BASE, 8);
  const folios = [0, 1, 2, 3, 4].map((page) => folioAt(machine.memory, task.mm!, page));
  machine.batches.take();
  machine.paging.munmap(task, BASE, 8);
  expect(machine.batches.take()).toEqual(folios.map((folio) => `munlock ${folio}`));
  machine.batches.drainAll();
  expect(machine.memcg.charged).toBe(0);
});
