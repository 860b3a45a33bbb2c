import { describe, expect, test } from "vitest";
import { type FileMapping, type Memory, NIL, vmstatId } from "../../src/index.ts";
import { listMachine } from "../machine.ts";

const NODES = vmstatId("workingset_nodes");

/** A cached folio of `1 << order` pages at a page of the file. */
function cache(memory: Memory, file: FileMapping, index: number, order = 0): number {
  const folio = memory.allocFolio(order, memory.root);
  memory.pageCache.insert(file, folio, index);
  return folio;
}

const nodes = (memory: Memory): number => memory.vmstat.values[NODES] as number;

describe("PageCache", () => {
  test("finds a folio at each of its pages and nowhere else (PGC-01)", () => {
    const memory = listMachine().memory;
    const file = memory.createFile({ name: "F", pages: 300 });
    const large = cache(memory, file, 64, 3);
    const small = cache(memory, file, 299);
    expect(memory.pageCache.lookup(file, 63)).toBe(NIL);
    expect(memory.pageCache.lookup(file, 64)).toBe(large);
    expect(memory.pageCache.lookup(file, 71)).toBe(large);
    expect(memory.pageCache.lookup(file, 72)).toBe(NIL);
    expect(memory.pageCache.lookup(file, 299)).toBe(small);
    expect(memory.pageCache.lookup(file, 100_000)).toBe(NIL);
    expect(file.cachedPages).toBe(9);
    expect(memory.fileOf(large)).toBe(file);
    expect(memory.folios.index[large]).toBe(64);
  });

  test("grows with the file", () => {
    const memory = listMachine().memory;
    const file = memory.createFile({ name: "F", pages: 1 });
    const folio = cache(memory, file, 5000);
    expect(memory.pageCache.lookup(file, 5000)).toBe(folio);
  });

  test("leaves a shadow in every slot of a reclaimed folio, nothing after truncation (PGC-02)", () => {
    const memory = listMachine().memory;
    const file = memory.createFile({ name: "F", pages: 200 });
    const reclaimed = cache(memory, file, 128, 2);
    const truncated = cache(memory, file, 140);
    memory.pageCache.remove(file, reclaimed, 77);
    memory.pageCache.remove(file, truncated);
    expect([127, 128, 131, 132, 140].map((page) => memory.pageCache.shadow(file, page))).toEqual([
      undefined,
      77,
      77,
      undefined,
      undefined,
    ]);
    expect(file.cachedPages).toBe(0);
    expect(memory.fileOf(reclaimed)).toBeNull();
  });

  test("counts nodes that hold nothing but shadows as workingset_nodes (PGC-07)", () => {
    const memory = listMachine().memory;
    const file = memory.createFile({ name: "F", pages: 200 });
    const first = cache(memory, file, 64);
    const second = cache(memory, file, 65);
    memory.pageCache.remove(file, first, 1);
    expect(nodes(memory)).toBe(0);
    memory.pageCache.remove(file, second, 1);
    expect(nodes(memory)).toBe(1);
    cache(memory, file, 66);
    expect(nodes(memory)).toBe(0);
  });

  test("does not count a shadow at page 0 while it is the file's only entry (PGC-07)", () => {
    const memory = listMachine().memory;
    const file = memory.createFile({ name: "F", pages: 200 });
    memory.pageCache.remove(file, cache(memory, file, 0), 1);
    expect(nodes(memory)).toBe(0);
    const other = cache(memory, file, 100);
    expect(nodes(memory)).toBe(1);
    memory.pageCache.remove(file, other);
    expect(nodes(memory)).toBe(0);
  });

  test("does not count shared memory (PGC-07)", () => {
    const memory = listMachine().memory;
    const file = memory.createFile({ name: "S", pages: 200, shmem: true });
    memory.pageCache.remove(file, cache(memory, file, 100), 1);
    expect(nodes(memory)).toBe(0);
  });

  test("forgets the shadows of an invalidated range only (PGC-05)", () => {
    const memory = listMachine().memory;
    const file = memory.createFile({ name: "F", pages: 200 });
    for (const page of [64, 70, 130]) {
      memory.pageCache.remove(file, cache(memory, file, page), 5);
    }
    expect(nodes(memory)).toBe(2);
    memory.pageCache.clearShadows(file, 0, 130);
    expect(nodes(memory)).toBe(1);
    expect(memory.pageCache.shadow(file, 64)).toBeUndefined();
    expect(memory.pageCache.shadow(file, 130)).toBe(5);
  });

  test("skips to the next cached page", () => {
    const memory = listMachine().memory;
    const file = memory.createFile({ name: "F", pages: 500 });
    cache(memory, file, 8, 3);
    cache(memory, file, 400);
    expect(memory.pageCache.nextCached(file, 0, 500)).toBe(8);
    expect(memory.pageCache.nextCached(file, 16, 500)).toBe(400);
    expect(memory.pageCache.nextCached(file, 401, 500)).toBe(500);
  });
});
