import fc from "fast-check";
import { expect, test } from "vitest";
import { type ListMachine, listMachine, TWO_NODES } from "../machine.ts";
import { MAX_PAGE_ORDER, NIL } from "../../src/index.ts";
import { checkAllocator, checkLists } from "../../src/check/index.ts";
import { RUNS } from "./runs.ts";

const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ order: fc.nat(MAX_PAGE_ORDER) }) },
  { weight: 5, arbitrary: fc.record({ order: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({ order: fc.constant(0), times: fc.integer({ min: 2, max: 400 }) }),
  },
  { weight: 4, arbitrary: fc.record({ free: fc.nat() }) },
);

interface Block {
  readonly pfn: number;
  readonly order: number;
}

/** Which frames are taken, and nothing else. */
class FrameSet {
  readonly blocks: Block[] = [];
  readonly taken: Uint8Array;

  constructor(frames: number) {
    this.taken = new Uint8Array(frames);
  }

  /** Whether `1 << order` aligned frames are all free, anywhere. */
  hasRoom(order: number): boolean {
    const pages = 1 << order;
    for (let start = 0; start < this.taken.length; start += pages) {
      if (!this.taken.subarray(start, start + pages).includes(1)) return true;
    }
    return false;
  }

  /** @returns whether all frames of the block were free */
  take({ pfn, order }: Block): boolean {
    const frames = this.taken.subarray(pfn, pfn + (1 << order));
    const wereFree = !frames.includes(1);
    frames.fill(1);
    this.blocks.push({ pfn, order });
    return wereFree;
  }

  give(index: number): Block {
    const [block] = this.blocks.splice(index % this.blocks.length, 1);
    this.taken.fill(0, block!.pfn, block!.pfn + (1 << block!.order));
    return block!;
  }
}

function alloc({ memory }: ListMachine, frames: FrameSet, order: number): void {
  const room = frames.hasRoom(order);
  const pfn = memory.allocator.alloc(order);
  expect(pfn !== NIL).toBe(room);
  if (pfn === NIL) return;
  expect(pfn % (1 << order)).toBe(0);
  memory.folios.prepare(pfn, order, 0);
  expect(frames.take({ pfn, order })).toBe(true);
}

test("blocks are aligned, never overlap, merge again, and no page is ever lost (INV-20)", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
      const machine = listMachine(TWO_NODES);
      const { allocator, folios, zeroPfn } = machine.memory;
      const frames = new FrameSet(folios.nrPages);
      frames.take({ pfn: zeroPfn, order: 0 });
      for (const action of steps) {
        if (!("free" in action)) {
          const times = "times" in action ? action.times : 1;
          for (let i = 0; i < times; i++) alloc(machine, frames, action.order);
        } else if (frames.blocks.length > 1) {
          const { pfn, order } = frames.give(1 + (action.free % (frames.blocks.length - 1)));
          allocator.free(pfn, order);
        }
        const free = frames.taken.length - frames.taken.reduce((sum, taken) => sum + taken, 0);
        expect(allocator.freePages.reduce((sum, pages) => sum + pages, 0)).toBe(free);
      }
      expect([...checkAllocator(machine.memory), ...checkLists(machine.memory)]).toEqual([]);
      while (frames.blocks.length > 1) {
        const { pfn, order } = frames.give(1);
        allocator.free(pfn, order);
      }
      expect(frames.hasRoom(MAX_PAGE_ORDER)).toBe(true);
      const whole = [0, 1, 2].map(() => allocator.alloc(MAX_PAGE_ORDER));
      expect(whole).toEqual([0, 2048, NIL]); // block 1024 has the zero page
    }),
    RUNS,
  );
});

test("the same requests get the same frames", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(MAX_PAGE_ORDER), { maxLength: 30, size: "max" }), (orders) => {
      const run = (): number[] => {
        const { allocator } = listMachine(TWO_NODES).memory;
        return orders.map((order) => allocator.alloc(order));
      };
      expect(run()).toEqual(run());
    }),
    RUNS,
  );
});
