import {
  EFAULT,
  EINVAL,
  ENOMEM,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  PG_DIRTY,
  PG_MLOCKED,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { cacheText } from "../describe-file.ts";
import { BASE, forkTask } from "../machine.ts";
import {
  createMappedMachine,
  type MappedMachine,
  PRIVATE,
  READ_ONLY,
  SHARED,
} from "../mapped-machine.ts";

function flagsOf({ memory, file }: MappedMachine, page: number): number {
  return memory.folios.flags[memory.pageCache.lookup(file, page)] as number;
}

function mlocked(machine: MappedMachine): number {
  let count = 0;
  for (let page = 0; page < machine.file.pages; page++) {
    if (machine.memory.pageCache.lookup(machine.file, page) < 0) continue;
    if (flagsOf(machine, page) & PG_MLOCKED) count += 1;
  }
  return count;
}

test("MADV_POPULATE_READ of a cold file is major, and marks every page once more (fixture 42)", () => {
  const machine = createMappedMachine(16, READ_ONLY);
  expect(machine.paging.madvise(machine.task0, BASE, 16, "populate_read")).toBe(0);
  expect(machine.pte()).toBe("y16");
  expect(machine.faults()).toEqual([0, 1]);
  for (const page of [0, 15]) {
    expect((flagsOf(machine, page) & LRU_REFS_MASK) >>> LRU_REFS_PGOFF).toBe(1);
  }
});

test("for MADV_POPULATE a readahead mark makes a fault major too (7.3.4)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.paging.madvise(machine.task0, BASE, 64, "populate_read");
  // Major at 0 and at the mark, 24; minor at 16, 32 and 48.
  expect(machine.faults()).toEqual([3, 2]);
});

test("MADV_POPULATE_WRITE makes shared pages dirty and private ones copies", () => {
  const shared = createMappedMachine(64, SHARED);
  expect(shared.paging.madvise(shared.task0, BASE, 20, "populate_write")).toBe(0);
  expect(shared.pte()).toBe("Y20.44");
  expect(shared.faults()).toEqual([19, 1]);
  expect(cacheText(shared.memory, shared.file)).toMatch(/^0D .* 19D 20 /);
  const own = createMappedMachine(64, PRIVATE);
  own.paging.madvise(own.task0, BASE, 20, "populate_write");
  expect([own.task0.mm!.anonPages, own.task0.mm!.filePages]).toEqual([20, 0]);
});

test("MADV_POPULATE_WRITE over shared memory dirties what it finds mapped for reading", () => {
  const machine = createMappedMachine(16, READ_ONLY);
  const { paging, memory } = machine;
  const task = machine.task();
  paging.mmapAnon(task.mm!, BASE, 8, SHARED);
  machine.access(0, 1, "r", task);
  paging.madvise(task, BASE, 1, "populate_write");
  const folio = memory.pageCache.lookup(memory.files[2]!, 0);
  expect((memory.folios.flags[folio] as number) & PG_DIRTY).toBe(PG_DIRTY);
});

test("MADV_POPULATE_WRITE of a read-only mapping is EINVAL, beyond the file's end EFAULT", () => {
  const machine = createMappedMachine(16, READ_ONLY);
  const advise = (advice: "populate_read" | "populate_write"): number =>
    machine.paging.madvise(machine.task0, BASE, 16, advice);
  expect(advise("populate_write")).toBe(-EINVAL);
  machine.file.pages = 8;
  expect(advise("populate_read")).toBe(-EFAULT);
  expect(machine.pte()).toBe("y8.8");
});

test("mlock of a cold file counts nothing as major, and locks what its faults map (7.3.4)", () => {
  const machine = createMappedMachine(40, SHARED);
  expect(machine.paging.mlock(machine.task0, BASE, 40)).toBe(0);
  expect(machine.pte()).toBe("y40");
  expect(machine.faults()).toEqual([4, 0]);
  machine.batches.drainAll();
  expect(mlocked(machine)).toBe(40);
  expect(machine.violations()).toEqual([]);
  machine.paging.munmap(machine.task0, BASE, 40);
  machine.batches.drainAll();
  expect(mlocked(machine)).toBe(0);
});

test("mlock of a private writable file locks copies; the page cache stays as it was", () => {
  const machine = createMappedMachine(40, PRIVATE);
  machine.paging.mlock(machine.task0, BASE, 40);
  expect(machine.pte()).toBe("Y40");
  expect(machine.faults()).toEqual([40, 0]);
  expect([mlocked(machine), machine.task0.mm!.anonPages]).toEqual([0, 40]);
});

test("mlock drains before it takes a fault again that had to read (7.3.4)", () => {
  const machine = createMappedMachine(16, READ_ONLY);
  machine.paging.mlock(machine.task0, BASE, 16);
  const calls = machine.batches.take().map((call) => call.split(" ")[0]);
  const read = calls.lastIndexOf("add");
  expect(calls.slice(read, read + 3)).toEqual(["add", "drain", "mlock"]);
});

test("a large folio mapped only in part is not locked", () => {
  const machine = createMappedMachine(256, READ_ONLY);
  machine.cache(5, 64);
  machine.paging.mlock(machine.task0, BASE + 64, 8);
  expect(machine.pte()).toBe(".64y8.184");
  machine.batches.drainAll();
  expect(mlocked(machine)).toBe(0);
  expect(machine.violations()).toEqual([]);
});

test("mlock beyond the file's end is ENOMEM", () => {
  const machine = createMappedMachine(16, READ_ONLY);
  machine.file.pages = 8;
  expect(machine.paging.mlock(machine.task0, BASE, 16)).toBe(-ENOMEM);
});

test("a child's mapping is not locked, and its faults lock nothing", () => {
  const machine = createMappedMachine(16, READ_ONLY);
  const child = forkTask(machine, machine.task0);
  machine.paging.mlock(child, BASE, 16);
  const grandchild = forkTask(machine, child);
  machine.paging.munmap(child, BASE, 16);
  machine.access(0, 16, "r", grandchild);
  machine.batches.drainAll();
  expect(mlocked(machine)).toBe(0);
});
