import { PG_PRIVATE, VM_READ, VM_SHARED, VM_WRITE } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { createLimitMachine, type LimitMachine } from "../limit-machine.ts";
import { BASE } from "../machine.ts";

const PAGE = 4096;

/** A machine that has read `pages` pages of a file, one at a time, each a folio of its own. */
function withFile(pages: number): LimitMachine & {
  readonly folioAt: (page: number) => number;
  readonly write: (first: number, count: number, bytes?: number) => void;
  readonly drop: () => void;
} {
  const machine = createLimitMachine();
  const { memory, paging, task } = machine;
  const file = memory.createFile({ name: "F", pages });
  const fd = paging.openFile(file, task);
  fd.random = true;
  for (let page = 0; page < pages; page++) paging.readFile(task, fd, page * PAGE, PAGE);
  memory.batches.drainAll();
  return {
    ...machine,
    folioAt: (page) => memory.pageCache.lookup(file, page),
    write: (first, count, bytes = PAGE) => {
      for (let page = first; page < first + count; page++) {
        expect(paging.writeFile(task, fd, page * PAGE, bytes)).toBe(bytes);
      }
    },
    drop: () => {
      paging.fsync(task, fd);
      paging.fadvise(task, fd, 0, 0, "dontneed");
    },
  };
}

test("reads attach none; the first write of a page, whole or in part, one of 104 bytes (CHG-40)", () => {
  const machine = withFile(60);
  const { memcg } = machine;
  const before = memcg.kernelPages; // 200 bytes of the open file and 592 of a tree node
  expect(before).toBe(1);
  machine.write(0, 31, 100);
  expect(memcg.kernelPages).toBe(1);
  machine.write(0, 32);
  expect(memcg.kernelPages).toBe(2);
  machine.write(0, 32);
  expect(memcg.kernelPages).toBe(2);
});

test("a large folio gets one a page at once (scenario 169)", () => {
  const { memory, memcg, paging, task } = createLimitMachine();
  const fd = paging.openFile(memory.createFile({ name: "F", pages: 64 }), task);
  paging.writeFile(task, fd, 0, 32 * PAGE);
  const folio = memory.pageCache.lookup(fd.mapping, 0);
  expect([memory.folios.nrPagesOf(folio), memcg.kernelPages]).toEqual([32, 2]);
});

test("a write to a shared mapping attaches one, a read of it none", () => {
  const { memory, paging, task, mm } = createLimitMachine();
  const fd = paging.openFile(memory.createFile({ name: "F", pages: 8 }), task);
  fd.random = true;
  paging.mmapFile(mm, BASE, 8, VM_READ | VM_WRITE | VM_SHARED, fd, 0);
  paging.access(task, BASE, false);
  const folio = memory.pageCache.lookup(fd.mapping, 0);
  expect(memory.folios.flags[folio]! & PG_PRIVATE).toBe(0);
  paging.access(task, BASE, true);
  expect(memory.folios.flags[folio]! & PG_PRIVATE).toBe(PG_PRIVATE);
});

test("shared memory has none", () => {
  const { memory, paging, task, mm } = createLimitMachine();
  paging.mmapAnon(mm, BASE, 8, VM_READ | VM_WRITE | VM_SHARED);
  paging.access(task, BASE, true);
  const flags = [...memory.folios.flags].filter((word) => word > 0 && word & PG_PRIVATE);
  expect(flags).toEqual([]);
});

test("invalidation gives them back (SFL-18)", () => {
  const machine = withFile(60);
  machine.write(0, 60);
  expect(machine.memcg.kernelPages).toBe(2);
  machine.drop();
  expect(machine.folioAt(0)).toBe(-1);
  expect(machine.memcg.kernelPages).toBe(1);
});
