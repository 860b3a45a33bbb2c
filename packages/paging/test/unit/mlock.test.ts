import {
  EAGAIN,
  EINVAL,
  ENOMEM,
  PG_MLOCKED,
  VM_DONTEXPAND,
  VM_LOCKED,
  VM_READ,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { TASK_SIZE_PAGES } from "../../src/index.ts";
import { folioAt, pmdString, pteString } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, READ_WRITE, touch, withRegion } from "../machine.ts";

test("mlock queues what is there between two drains, populates, drains, and leaves PTEs as they are (fixture 23)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  touch(machine, task, 0, 16, "w");
  machine.batches.drain(task.cpu);
  const folios = [4, 5, 6, 7].map((page) => folioAt(machine.memory, task.mm!, page));
  machine.batches.take();
  expect(machine.paging.mlock(task, BASE + 4, 4)).toBe(0);
  const mlocks = folios.map((folio) => `mlock ${folio}`);
  expect(machine.batches.take()).toEqual(["drain", ...mlocks, "drain", "drain"]);
  expect(machine.batches.queued(task.cpu)).toEqual([]);
  expect(pteString(machine.memory, task.mm!, 16)).toBe("Y16");
  expect(task.mm!.minorFaults).toBe(16);
  expect(task.mm!.vmas.map((vma) => vma.flags & VM_LOCKED)).toEqual([0, VM_LOCKED, 0]);

  expect(machine.paging.munlock(task, BASE + 4, 4)).toBe(0);
  const munlocks = folios.map((folio) => `munlock ${folio}`);
  expect(machine.batches.take()).toEqual(["drain", ...munlocks, "drain"]);
  expect(task.mm!.vmas.length).toBe(1);
});

test("locking twice only populates again; unlocking an empty range does nothing", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  touch(machine, task, 0, 4, "w");
  machine.paging.mlock(task, BASE, 4);
  machine.batches.take();
  machine.paging.mlock(task, BASE, 4);
  expect(machine.batches.take()).toEqual(["drain"]);
  expect(machine.paging.munlock(task, BASE, 0)).toBe(0);
  expect(machine.batches.take()).toEqual([]);
});

test("missing pages are written into by mlock, for the mlock batch at once (BATCH-21)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  touch(machine, task, 0, 2, "w");
  touch(machine, task, 2, 1, "r");
  machine.paging.mlock(task, BASE, 4);
  expect(pteString(machine.memory, task.mm!, 4)).toBe("Y4");
  expect(task.mm!.minorFaults).toBe(5);
  const news = [2, 3].map((page) => `mlockNew ${folioAt(machine.memory, task.mm!, page)}`);
  expect(machine.batches.calls.slice(-3)).toEqual([...news, "drain"]);
  expect(machine.memory.folios.flags[folioAt(machine.memory, task.mm!, 3)]! & PG_MLOCKED).not.toBe(
    0,
  );
});

test("a VMA that cannot be written is populated by reads", () => {
  const machine = createMachine();
  const task = machine.task();
  machine.paging.mmapAnon(task.mm!, BASE, 4, VM_READ);
  expect(machine.paging.mlock(task, BASE, 4)).toBe(0);
  expect(pteString(machine.memory, task.mm!, 4)).toBe("y4");
});

test("mlock copies pages that are shared after fork", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 4);
  touch(machine, parent, 0, 4, "w");
  const child = forkTask(machine, parent);
  machine.paging.mlock(child, BASE, 4);
  expect(pteString(machine.memory, child.mm!, 4)).toBe("Y4");
  expect(child.mm!.minorFaults).toBe(4);
});

test("a large folio is locked only when all of it lies in the range", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(2, "always");
  const task = withRegion(machine, 16);
  touch(machine, task, 0, 16, "w");
  const whole = folioAt(machine.memory, task.mm!, 4);
  const part = folioAt(machine.memory, task.mm!, 8);
  machine.batches.take();
  machine.paging.mlock(task, BASE + 4, 6);
  expect(machine.batches.take()).toEqual(["drain", `mlock ${whole}`, "drain", "drain"]);
  expect(machine.memory.folios.flags[part]! & PG_MLOCKED).toBe(0);
  // Unlocking takes the parts too.
  machine.paging.munlock(task, BASE + 4, 6);
  expect(machine.batches.take()).toEqual(["drain", `munlock ${whole}`, `munlock ${part}`, "drain"]);
});

test("a PMD leaf is locked as one folio; the huge zero folio never is", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  const task = withRegion(machine, 512);
  touch(machine, task, 0, 1, "w");
  const folio = folioAt(machine.memory, task.mm!, 0);
  machine.batches.take();
  machine.paging.mlock(task, BASE, 512);
  expect(machine.batches.take()).toEqual(["drain", `mlock ${folio}`, "drain", "drain"]);
  expect(pmdString(machine.memory, task.mm!, 512)).toBe("H");

  const reader = machine.task();
  machine.paging.mmapAnon(reader.mm!, BASE, 512, VM_READ);
  machine.paging.access(reader, BASE, false);
  machine.batches.take();
  machine.paging.mlock(reader, BASE, 512);
  expect(machine.batches.take()).toEqual(["drain", "drain", "drain"]);
});

test("the first hole ends mlock with ENOMEM; what came before stays locked", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  machine.paging.mmapAnon(task.mm!, BASE + 8, 4, READ_WRITE);
  expect(machine.paging.mlock(task, BASE, 12)).toBe(-ENOMEM);
  expect(machine.paging.mlock(task, BASE + 5, 1)).toBe(-ENOMEM);
  expect(task.mm!.vmas.map((vma) => vma.flags & VM_LOCKED)).toEqual([VM_LOCKED, 0]);
  expect(pteString(machine.memory, task.mm!, 12)).toBe(".12");
});

test("an inaccessible VMA is ENOMEM, lack of memory EAGAIN, a range beyond user addresses EINVAL", () => {
  const machine = createMachine(1024);
  const task = machine.task();
  machine.paging.mmapAnon(task.mm!, BASE, 4, 0);
  expect(machine.paging.mlock(task, BASE, 4)).toBe(-ENOMEM);
  machine.paging.mmapAnon(task.mm!, BASE + 4, 1024, READ_WRITE);
  expect(machine.paging.mlock(task, BASE + 4, 1024)).toBe(-EAGAIN);
  expect(machine.paging.mlock(task, TASK_SIZE_PAGES, 1)).toBe(-EINVAL);
  expect(machine.paging.munlock(task, TASK_SIZE_PAGES, 1)).toBe(-EINVAL);
});

test("special VMAs are populated but never locked (VMA-02)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4, VM_DONTEXPAND);
  expect(machine.paging.mlock(task, BASE, 4)).toBe(0);
  expect(task.mm!.vmas[0]!.flags & VM_LOCKED).toBe(0);
  expect(pteString(machine.memory, task.mm!, 4)).toBe("Y4");
});
