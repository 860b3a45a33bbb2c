import { describe, expect, test } from "vitest";
import {
  allocatorHeads,
  FolioLists,
  FolioTable,
  layOutZones,
  MAX_PAGE_ORDER,
  NIL,
  type NodeConfig,
  PageAllocator,
  PG_BUDDY,
  PG_DIRTY,
} from "../../src/index.ts";

interface Setup {
  readonly allocator: PageAllocator;
  readonly folios: FolioTable;
  readonly lists: FolioLists;
}

function setup(nodes: readonly NodeConfig[] = [{ zones: [{ zone: 1, pages: 2048 }] }]): Setup {
  const zones = layOutZones(nodes);
  const folios = new FolioTable(zones.at(-1)!.end, allocatorHeads(zones.length));
  const lists = new FolioLists(folios);
  return { allocator: new PageAllocator(folios, lists, zones), folios, lists };
}

/** Free blocks of one zone as [order, first frame], by order. */
function freeBlocks({ allocator, lists }: Setup, zone = 0): number[][] {
  return Array.from({ length: MAX_PAGE_ORDER + 1 }, (_, order) =>
    [...lists.walk(allocator.freeList(zone, order))].map((pfn) => [order, pfn]),
  ).flat();
}

describe("a fresh allocator", () => {
  test("has every zone free in blocks of the largest order, ascending", () => {
    const machine = setup();
    expect(freeBlocks(machine)).toEqual([
      [10, 0],
      [10, 1024],
    ]);
    expect([...machine.allocator.freePages]).toEqual([2048]);
  });
});

describe("alloc", () => {
  test("gives pages in ascending order", () => {
    const { allocator } = setup();
    const order0 = Array.from({ length: 2048 }, () => allocator.alloc(0));
    expect(order0).toEqual(Array.from({ length: 2048 }, (_, i) => i));
  });

  test("splits a block into halves and keeps the upper ones free", () => {
    const machine = setup();
    expect(machine.allocator.alloc(7)).toBe(0);
    expect(freeBlocks(machine)).toEqual([
      [7, 128],
      [8, 256],
      [9, 512],
      [10, 1024],
    ]);
  });

  test("takes the smallest block that is large enough", () => {
    const { allocator } = setup();
    expect(allocator.alloc(0)).toBe(0);
    expect([allocator.alloc(2), allocator.alloc(0), allocator.alloc(9)]).toEqual([4, 1, 512]);
  });

  test.each([0, 1, 2, 5, 9, 10])("aligns blocks of order %i to their size", (order) => {
    const { allocator } = setup();
    allocator.alloc(0);
    for (let pfn = allocator.alloc(order); pfn !== NIL; pfn = allocator.alloc(order)) {
      expect(pfn % (1 << order)).toBe(0);
    }
  });

  test("clears the flags of the first frame and counts the pages", () => {
    const { allocator, folios } = setup();
    const pfn = allocator.alloc(3);
    expect(folios.flags[pfn]).toBe(0);
    expect(allocator.freePages[0]).toBe(2048 - 8);
  });

  test("gives NIL when no block is large enough, and takes nothing", () => {
    const { allocator } = setup();
    expect([allocator.alloc(10), allocator.alloc(9), allocator.alloc(0)]).toEqual([0, 1024, 1536]);
    expect([allocator.alloc(9), allocator.alloc(10), allocator.alloc(11)]).toEqual([NIL, NIL, NIL]);
    expect(allocator.freePages[0]).toBe(511);
    expect(allocator.alloc(8)).toBe(1792);
  });
});

describe("free", () => {
  test("merges buddies back into full blocks, whatever the order of frees", () => {
    const machine = setup();
    const pages = Array.from({ length: 1024 }, () => machine.allocator.alloc(0));
    for (const pfn of pages.filter((p) => p % 2 === 1)) machine.allocator.free(pfn, 0);
    expect(freeBlocks(machine).filter(([order]) => order === 0)).toHaveLength(512);
    for (const pfn of pages.filter((p) => p % 2 === 0)) machine.allocator.free(pfn, 0);
    expect(freeBlocks(machine).toSorted((x, y) => x[1]! - y[1]!)).toEqual([
      [10, 0],
      [10, 1024],
    ]);
    expect(machine.allocator.freePages[0]).toBe(2048);
  });

  test("does not merge with a free neighbour that is no buddy or of another order", () => {
    const machine = setup();
    const block = (order: number): number => machine.allocator.alloc(order);
    const [zero, one, two, four] = [block(0), block(0), block(1), block(2)];
    expect([zero, one, two, four]).toEqual([0, 1, 2, 4]);
    machine.allocator.free(one, 0);
    machine.allocator.free(two, 1);
    expect(freeBlocks(machine).slice(0, 2)).toEqual([
      [0, 1],
      [1, 2],
    ]);
    machine.allocator.free(zero, 0);
    expect(freeBlocks(machine)[0]).toEqual([2, 0]);
  });

  test("does not merge with a buddy that is free in part", () => {
    const machine = setup();
    const { allocator } = machine;
    expect([allocator.alloc(1), allocator.alloc(0), allocator.alloc(0)]).toEqual([0, 2, 3]);
    allocator.free(2, 0);
    allocator.free(0, 1);
    expect(freeBlocks(machine).slice(0, 2)).toEqual([
      [0, 2],
      [1, 0],
    ]);
  });

  test("does not merge across blocks of the largest order", () => {
    const machine = setup();
    const blocks = [machine.allocator.alloc(10), machine.allocator.alloc(10)];
    for (const pfn of blocks) machine.allocator.free(pfn, 10);
    expect(freeBlocks(machine)).toHaveLength(2);
  });

  test("leaves no flag behind but PG_BUDDY on the first frame of the merged block", () => {
    const { allocator, folios } = setup();
    const pfn = allocator.alloc(2);
    folios.flags.fill(PG_DIRTY, pfn, pfn + 4);
    allocator.free(pfn, 2);
    expect([...folios.flags.subarray(0, 1024)].filter((word) => word !== 0)).toEqual([PG_BUDDY]);
    expect(folios.flags[0]).toBe(PG_BUDDY);
  });

  test("the frame freed last is given out first", () => {
    const { allocator } = setup();
    const [first, second] = [allocator.alloc(4), allocator.alloc(4)];
    allocator.alloc(4);
    allocator.free(first, 4);
    expect(allocator.alloc(4)).toBe(first);
    allocator.free(second, 4);
    expect(allocator.alloc(4)).toBe(second);
  });
});

describe("several zones", () => {
  const NODES: readonly NodeConfig[] = [
    {
      zones: [
        { zone: 1, pages: 1024 },
        { zone: 2, pages: 1024 },
      ],
    },
    { zones: [{ zone: 2, pages: 1024 }] },
  ];

  test("are tried from the highest zone of the first node on", () => {
    const { allocator } = setup(NODES);
    const blocks = Array.from({ length: 4 }, () => allocator.alloc(10));
    expect(blocks).toEqual([1024, 0, 2048, NIL]);
  });

  test("know their frames", () => {
    const { allocator } = setup(NODES);
    expect([0, 1023, 1024, 2047, 2048, 3071].map((pfn) => allocator.zoneOf(pfn))).toEqual([
      1, 1, 2, 2, 2, 2,
    ]);
    expect([0, 1024, 2047, 2048].map((pfn) => allocator.nodeOf(pfn))).toEqual([0, 0, 0, 1]);
  });

  test("count their free pages apart", () => {
    const { allocator } = setup(NODES);
    allocator.alloc(3);
    expect([...allocator.freePages]).toEqual([1024, 1016, 1024]);
    allocator.free(1024, 3);
    expect([...allocator.freePages]).toEqual([1024, 1024, 1024]);
  });

  test("may be more than 256", () => {
    const zones = [0, 1, 2, 3, 4].map((zone) => ({ zone, pages: 1024 }));
    const { allocator } = setup(Array.from({ length: 60 }, () => ({ zones })));
    const last = allocator.zones.length * 1024 - 1;
    expect([allocator.nodeOf(last), allocator.zoneOf(last)]).toEqual([59, 4]);
  });
});
