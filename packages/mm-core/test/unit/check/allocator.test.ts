import { describe, expect, test } from "vitest";
import { PG_BUDDY, PG_DIRTY, PG_HEAD, PG_TAIL } from "../../../src/index.ts";
import { checkAllocator } from "../../../src/check/index.ts";
import { populatedMachine } from "../../populated-machine.ts";

/** Zone index and frames of the untouched node 1. */
const NODE1 = 2;
const BLOCK = 2048;

describe("checkAllocator (INV-20)", () => {
  test("has nothing to say about a sound allocator", () => {
    expect(checkAllocator(populatedMachine().memory)).toEqual([]);
  });

  test("finds a wrong count of free pages", () => {
    const { memory } = populatedMachine();
    memory.allocator.freePages[NODE1]! -= 1;
    expect(checkAllocator(memory)).toEqual([
      "INV-20: node 1 Normal: freePages is 1023, expected 1024",
    ]);
  });

  test("finds a free block that is on no list", () => {
    const { memory } = populatedMachine();
    memory.lists.del(BLOCK);
    expect(checkAllocator(memory)).toEqual([
      `INV-20: free block ${BLOCK} is on no free list, expected one`,
    ]);
  });

  test("finds a listed block that is not free", () => {
    const { memory } = populatedMachine();
    memory.folios.flags[BLOCK] = PG_DIRTY;
    expect(checkAllocator(memory)).toEqual([
      `INV-20: node 1 Normal order 10: frame ${BLOCK} has flags 0x10, expected PG_BUDDY alone`,
      "INV-20: node 1 Normal: freePages is 1024, expected 0",
    ]);
  });

  test("finds a block whose order is not that of its list", () => {
    const { memory } = populatedMachine();
    memory.folios.order[BLOCK] = 9;
    expect(checkAllocator(memory)).toEqual([
      `INV-20: node 1 Normal order 10: frame ${BLOCK} has order 9, expected 10`,
      "INV-20: node 1 Normal: freePages is 1024, expected 512",
    ]);
  });

  test("finds a block on the list of another zone", () => {
    const { memory } = populatedMachine();
    memory.lists.del(BLOCK);
    memory.lists.add(memory.allocator.freeList(0, 10), BLOCK);
    expect(checkAllocator(memory)).toEqual([
      `INV-20: node 0 DMA32 order 10: frame ${BLOCK} is in node 1 Normal, expected it here`,
    ]);
  });

  test("finds free blocks that overlap", () => {
    const { memory } = populatedMachine();
    memory.folios.flags[BLOCK + 512] = PG_BUDDY;
    memory.folios.order[BLOCK + 512] = 9;
    memory.lists.add(memory.allocator.freeList(NODE1, 9), BLOCK + 512);
    expect(checkAllocator(memory)).toEqual([
      `INV-20: frame ${BLOCK + 512} inside free block ${BLOCK} has flags 0x40000000, expected 0`,
    ]);
  });

  test("finds a folio inside a free block", () => {
    const { memory } = populatedMachine();
    memory.folios.prepare(BLOCK + 4, 1, 0);
    expect(checkAllocator(memory)).toEqual([
      `INV-20: frame ${BLOCK + 4} inside free block ${BLOCK} has flags 0x40, expected 0`,
      `INV-20: frame ${BLOCK + 5} inside free block ${BLOCK} has flags 0x80000000, expected 0`,
    ]);
  });

  test("finds a folio larger than its tail pages say", () => {
    const { memory, large } = populatedMachine();
    memory.folios.flags[large + 3] = 0;
    memory.folios.next[large + 7] = large + 1;
    expect(checkAllocator(memory)).toEqual(
      [3, 7].map(
        (i) =>
          `INV-20: frame ${large + i} inside folio ${large} is no tail page of it, expected one`,
      ),
    );
  });

  test("finds a tail page without a folio", () => {
    const { memory, anon } = populatedMachine();
    memory.folios.flags[anon] = PG_TAIL;
    expect(checkAllocator(memory)).toEqual([
      `INV-20: frame ${anon} is a tail page, expected the head of a folio before it`,
    ]);
  });

  test.each([11, 200])("finds an impossible order, 2^%i pages, and comes to an end", (order) => {
    const { memory } = populatedMachine();
    memory.folios.order[BLOCK] = order;
    expect(checkAllocator(memory)).toContain(
      `INV-20: frame ${BLOCK} begins 2^${order} pages, ` +
        "expected an aligned block inside the memory",
    );
  });

  test("finds a large folio that is not aligned", () => {
    const { memory, anon } = populatedMachine();
    const odd = anon | 1;
    memory.folios.flags[odd] = PG_HEAD;
    memory.folios.order[odd] = 2;
    expect(checkAllocator(memory)).toContain(
      `INV-20: frame ${odd} begins 2^2 pages, expected an aligned block inside the memory`,
    );
  });
});
