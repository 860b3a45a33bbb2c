import { expect, test } from "vitest";
import { type FileMapping, type Memory, NIL, NO_SLOT } from "../../src/index.ts";
import { listMachine } from "../machine.ts";

function subject(): { readonly memory: Memory; readonly file: FileMapping } {
  const { memory } = listMachine();
  return { memory, file: memory.createFile({ name: "S", pages: 200, shmem: true }) };
}

function insert(memory: Memory, file: FileMapping, index: number): number {
  const folio = memory.allocFolio(0, memory.root);
  memory.pageCache.insert(file, folio, index);
  return folio;
}

test("a swap entry takes the place of a folio of shared memory (PGC-03)", () => {
  const { memory, file } = subject();
  const folio = insert(memory, file, 70);
  memory.pageCache.replaceWithSwap(file, folio, 12);
  expect(memory.pageCache.lookup(file, 70)).toBe(NIL);
  expect(memory.pageCache.swapSlot(file, 70)).toBe(12);
  expect(memory.pageCache.shadow(file, 70)).toBe(undefined);
  expect([file.cachedPages, file.entries, memory.folios.mapping[folio]]).toEqual([0, 1, 0]);
});

test("a folio takes the place of a swap entry (PGC-03)", () => {
  const { memory, file } = subject();
  const folio = insert(memory, file, 70);
  memory.pageCache.replaceWithSwap(file, folio, 12);
  memory.pageCache.insert(file, folio, 70);
  expect(memory.pageCache.swapSlot(file, 70)).toBe(NO_SLOT);
  expect([file.cachedPages, file.entries]).toEqual([1, 1]);
});

test("a swap entry is dropped, with the node when it was the last in it", () => {
  const { memory, file } = subject();
  memory.pageCache.replaceWithSwap(file, insert(memory, file, 70), 12);
  memory.pageCache.clearShadows(file, 0, 200);
  expect(memory.pageCache.swapSlot(file, 70)).toBe(12);
  memory.pageCache.clearSwap(file, 70);
  expect(memory.pageCache.swapSlot(file, 70)).toBe(NO_SLOT);
  expect([file.entries, file.leaves[1]]).toEqual([0, 0]);
});

test("pages beyond the table of a file have no swap entry", () => {
  const { memory, file } = subject();
  expect(memory.pageCache.swapSlot(file, 100_000)).toBe(NO_SLOT);
});
