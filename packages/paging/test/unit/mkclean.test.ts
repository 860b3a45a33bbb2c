import { type Mm, PG_DIRTY, STATE_FILE_DIRTY } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { BASE, forkTask } from "../machine.ts";
import { createMappedMachine, PRIVATE, SHARED } from "../mapped-machine.ts";

test("writing a file back makes its entries clean and read-only everywhere, and leaves them young (folio_mkclean)", () => {
  const machine = createMappedMachine(64, SHARED);
  const { paging, task0, openFile } = machine;
  machine.access(0, 8, "w");
  const child = forkTask(machine, task0);
  machine.access(4, 8, "w", child);
  paging.fsync(task0, openFile);
  expect(machine.pte()).toBe("y8.56");
  expect(machine.pte(child)).toBe(".4y8.52");
  expect(machine.violations()).toEqual([]);
});

test("the next write is a fault again, and dirties the page again", () => {
  const machine = createMappedMachine(64, SHARED);
  const { paging, task0, openFile, memory, memcg } = machine;
  machine.access(0, 8, "w");
  paging.fsync(task0, openFile);
  const before = machine.faults()[0];
  machine.access(0, 4, "w");
  expect(machine.faults()[0]).toBe(before + 4);
  expect(machine.pte()).toBe("Y4y4.56");
  expect(memory.states.of(STATE_FILE_DIRTY, memcg.index)).toBe(4);
});

test("a leaf of 2 MiB becomes clean and stays a leaf", () => {
  const machine = createMappedMachine(1536, SHARED);
  machine.cache(9, 0);
  machine.access(3, 1, "w");
  machine.paging.fsync(machine.task0, machine.openFile);
  expect(machine.pte()).toBe("y512.1024");
  const folio = machine.memory.pageCache.lookup(machine.file, 0);
  expect((machine.memory.folios.flags[folio] as number) & PG_DIRTY).toBe(0);
  expect(machine.violations()).toEqual([]);
});

/** Writes down what a secondary MMU of an address space hears, after `name`. */
function listen(mm: Mm, name: string, heard: string[]): void {
  mm.notifiers.push({
    invalidateStart: (start, end) => void heard.push(`${name} start ${start - BASE}-${end - BASE}`),
    invalidateEnd: (start, end) => void heard.push(`${name} end ${start - BASE}-${end - BASE}`),
    clearFlushYoung: () => false,
    clearYoung: () => false,
    testYoung: () => false,
    release: () => {},
  });
}

test("private mappings are left alone, and secondary MMUs of shared ones hear of it (MMUN-02)", () => {
  const machine = createMappedMachine(64, PRIVATE);
  const { paging, task0, file, openFile } = machine;
  const heard: string[] = [];
  const other = machine.task();
  const mm = other.mm as Mm;
  paging.mmapFile(mm, BASE, 64, SHARED, paging.openFile(file), 8);
  machine.access(0, 16, "w");
  machine.access(0, 2, "w", other);
  listen(mm, "shared", heard);
  listen(task0.mm as Mm, "private", heard);
  paging.fsync(task0, openFile);
  expect(machine.pte()).toBe("Y16.48");
  expect(machine.pte(other)).toBe("y2.62");
  expect(heard).toEqual([
    "shared start 0-1",
    "shared end 0-1",
    "shared start 1-2",
    "shared end 1-2",
  ]);
});
