import { EEXIST, EINVAL, ENOMEM, type MappedFile, type Mm, OpenFile, Vma } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { TASK_SIZE_PAGES } from "../../src/index.ts";
import { openFileOf } from "../../src/vma/file-vmas.ts";
import { BASE, forkTask, READ_WRITE } from "../machine.ts";
import {
  createMappedMachine,
  type MappedMachine,
  PRIVATE,
  READ_ONLY,
  SHARED,
} from "../mapped-machine.ts";

/** The VMAs that a file knows, as `mm:start-end@pgoff`, in any order. */
function known({ file }: MappedMachine): string[] {
  return file.vmas
    .map(({ mm, start, end, pgoff }) => `${mm.id}:${start - BASE}-${end - BASE}@${pgoff}`)
    .toSorted();
}

test("mmap of a file has the errors of mmap (EINVAL, EEXIST, ENOMEM) and changes nothing then", () => {
  const machine = createMappedMachine(16, SHARED);
  const map = (start: number, pages: number, pgoff: number): number =>
    machine.paging.mmapFile(machine.task0.mm!, start, pages, SHARED, machine.openFile, pgoff);
  expect(map(BASE + 100, 0, 0)).toBe(-EINVAL);
  expect(map(BASE + 100, 1, -1)).toBe(-EINVAL);
  expect(map(BASE + 15, 2, 0)).toBe(-EEXIST);
  expect(map(TASK_SIZE_PAGES - 1, 2, 0)).toBe(-ENOMEM);
  expect(map(-1, 2, 0)).toBe(-ENOMEM);
  expect(known(machine)).toEqual(["1:0-16@0"]);
});

test("a file knows the VMAs that map it through splits, merges, fork, unmapping and exit (RMAP-01)", () => {
  const machine = createMappedMachine(16, SHARED);
  const { paging, task0, mms } = machine;
  paging.madvise(task0, BASE + 4, 4, "random");
  expect(known(machine)).toEqual(["1:0-4@0", "1:4-8@4", "1:8-16@8"]);
  paging.madvise(task0, BASE + 4, 4, "normal");
  expect(known(machine)).toEqual(["1:0-16@0"]);
  const child = forkTask(machine, task0);
  paging.munmap(child, BASE + 4, 8);
  expect(known(machine)).toEqual(["1:0-16@0", "2:0-4@0", "2:12-16@12"]);
  mms.splice(mms.indexOf(child.mm as Mm), 1);
  paging.exitMm(child, child.mm as Mm);
  expect(known(machine)).toEqual(["1:0-16@0"]);
  expect(machine.violations()).toEqual([]);
});

test("mappings of one opening that go on in the file become one VMA, others do not", () => {
  const machine = createMappedMachine(16, SHARED);
  const { paging, task0, file, openFile } = machine;
  const mm = task0.mm as Mm;
  paging.mmapFile(mm, BASE + 16, 4, SHARED, openFile, 16);
  expect(known(machine)).toEqual(["1:0-20@0"]);
  paging.mmapFile(mm, BASE + 20, 4, SHARED, openFile, 40);
  paging.mmapFile(mm, BASE + 24, 4, SHARED, new OpenFile(file), 44);
  expect(mm.vmas.length).toBe(3);
});

test("faults find the page of the file through the mapping's offset", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  const { paging, file, memory } = machine;
  const other = machine.task();
  paging.mmapFile(other.mm as Mm, BASE + 7, 20, READ_ONLY, paging.openFile(file), 30);
  machine.access(8, 1, "r", other);
  // Page 31 of the file; 16 entries from the VMA's start on (FIO-21), but not the mark at 39.
  expect(memory.pageCache.lookup(file, 31)).toBeGreaterThan(0);
  expect(machine.pte(other)).toBe(".7y9.1y6.41");
  expect(machine.violations()).toEqual([]);
});

test("a VMA whose file is no OpenFile is refused by name", () => {
  const machine = createMappedMachine(16, PRIVATE);
  const file: MappedFile = {
    id: 9,
    shmem: false,
    noReuse: false,
    unevictable: false,
    readFolio: true,
  };
  const vma = new Vma(machine.task0.mm as Mm, BASE + 64, BASE + 80, READ_WRITE, file, 0);
  expect(() => openFileOf(vma)).toThrow(
    /maps file 9, which is no OpenFile; paging needs an OpenFile/,
  );
  const anon = new Vma(machine.task0.mm as Mm, BASE + 64, BASE + 80, READ_WRITE);
  expect(() => openFileOf(anon)).toThrow(/maps no file/);
});
