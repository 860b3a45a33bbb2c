import { EAGAIN, MEMCG_LOW, NIL, PageAllocator, ScanControl } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { CHARGE_FULL, CHARGE_NOWAIT } from "../../../src/charge/charge-kind.ts";
import { Watermarks } from "../../../src/reclaim/watermarks.ts";
import { createLimitMachine } from "../../limit-machine.ts";
import { createMachine } from "../../machine.ts";

describe("watermarks", () => {
  test("are what the kernel computes: 554/692/830 style steps from the square root of 16 · KiB", () => {
    const { memory } = createMachine(81_920);
    const { min, low, high } = new Watermarks(memory.allocator);
    // isqrt(327,680 · 16) = 2,289 KiB = 572 pages; steps of a quarter.
    expect([min[0], low[0], high[0]]).toEqual([572, 715, 858]);
  });

  test("min is shared out by zone size", () => {
    const { memory } = createMachine(4096);
    expect(memory.allocator).toBeInstanceOf(PageAllocator);
    const { min } = new Watermarks(memory.allocator);
    expect(min[0]).toBe(128);
  });
});

describe("reclaim of one memcg", () => {
  test("goes through all priorities, then once more over all memcgs (CLS-05)", () => {
    const { paging, task, memcg, policy } = createLimitMachine();
    expect(paging.charge.reclaim.memcgs.tryToFree(task, memcg, 1)).toBe(0);
    const priorities = Array.from({ length: 13 }, (_, i) => 12 - i);
    expect(policy.asked.map(({ priority }) => priority)).toEqual([...priorities, ...priorities]);
  });

  test("passes over what memory.low protects, until nothing else is left (CLS-05, CHG-37)", () => {
    const { memory, paging, task, memcg, policy } = createLimitMachine();
    const child = memory.createMemcg(memcg, 30, "c");
    child.memory.charge(50);
    child.memory.low = 100;
    policy.give = (_sc, { path, memory: { usage } }) => (path === "/t/c" ? usage : 0);
    expect(paging.charge.reclaim.memcgs.tryToFree(task, memcg, 1)).toBe(50);
    expect(child.events.local[MEMCG_LOW]).toBe(1);
    expect(policy.asked.filter(({ memcg: path }) => path === "/t/c")).toHaveLength(1);
  });

  test("never touches what memory.min protects (CHG-37)", () => {
    const { memory, paging, task, memcg, policy } = createLimitMachine();
    const child = memory.createMemcg(memcg, 30, "c");
    child.memory.charge(50);
    child.memory.min = 50;
    expect(paging.charge.reclaim.memcgs.tryToFree(task, memcg, 1)).toBe(0);
    expect(policy.asked.some(({ memcg: path }) => path === "/t/c")).toBe(false);
  });

  test("its own protection does not save a memcg from its own limit (CHG-26)", () => {
    const { paging, task, memcg, policy } = createLimitMachine();
    memcg.memory.charge(50);
    memcg.memory.min = 100;
    policy.give = () => 40;
    expect(paging.charge.reclaim.memcgs.tryToFree(task, memcg, 1)).toBe(40);
  });

  test("a partial walk goes on where the last one stopped (CLS-08)", () => {
    const { memory, paging, task, memcg, policy } = createLimitMachine();
    for (const [i, name] of ["a", "b"].entries()) memory.createMemcg(memcg, 30 + i, name);
    for (const { memory: counter } of memcg.children) counter.charge(500);
    policy.give = (_sc, { path }) => (path === "/t" ? 0 : 40);
    for (let i = 0; i < 3; i++) paging.charge.reclaim.memcgs.tryToFree(task, memcg, 1);
    expect(policy.asked.map(({ memcg: path }) => path)).toEqual([
      "/t",
      "/t/a",
      "/t/b",
      "/t",
      "/t/a",
    ]);
  });
});

describe("memory.reclaim (SHR-08)", () => {
  test("asks for a quarter of what is left, 32 at least", () => {
    const { paging, task, memcg, policy } = createLimitMachine();
    memcg.memory.charge(1000);
    policy.give = (sc) => sc.nrToReclaim;
    expect(paging.charge.reclaim.memcgs.proactive(task, memcg, 400, null)).toBe(0);
    expect(policy.asked.map(({ want }) => want)).toEqual([100, 75, 56, 42, 32, 32, 32, 32]);
  });

  test("ends with −EAGAIN after 17 fruitless rounds", () => {
    const { paging, task, memcg, policy } = createLimitMachine();
    expect(paging.charge.reclaim.memcgs.proactive(task, memcg, 1, 200)).toBe(-EAGAIN);
    expect(policy.asked).toHaveLength(17 * 26);
  });
});

describe("a machine that is short of memory", () => {
  test("wakes kswapd below the low mark, which runs to the high mark (CLS-06)", () => {
    const { memory, paging, task, policy } = createLimitMachine(4096);
    const { allocator } = memory;
    const { marks } = paging.charge.reclaim;
    const held: number[] = [];
    while (allocator.freePages[0]! > marks.low[0]!) held.push(allocator.alloc(0));
    const kswapd: ScanControl[] = [];
    policy.shrinkNode = (_node, sc) => {
      kswapd.push(sc);
      for (let i = 0; i < 10; i++) allocator.free(held.pop() as number, 0);
      sc.nrReclaimed += 10;
      sc.nrScanned += 10;
    };
    expect(paging.charge.reclaim.allocPages(task, 0, CHARGE_FULL)).not.toBe(NIL);
    expect(kswapd.length).toBeGreaterThan(1);
    expect(kswapd.every((sc) => sc.kswapd && sc.reclaimer === "kswapd")).toBe(true);
    expect(allocator.freePages[0]).toBeGreaterThanOrEqual(marks.high[0]! - 1);
    expect(task.reclaiming).toBe(false);
  });

  test("below the min mark it reclaims directly, kills the largest, and fails for who may not wait", () => {
    const { memory, paging, task, mm, policy, newTask } = createLimitMachine(4096);
    const { allocator } = memory;
    const { reclaim, oom } = paging.charge;
    const held: number[] = [];
    while (allocator.freePages[0]! > reclaim.marks.min[0]!) held.push(allocator.alloc(0));
    expect(reclaim.allocPages(task, 0, CHARGE_NOWAIT)).toBe(NIL);
    const other = newTask().mm!;
    other.filePages = 20;
    mm.anonPages = 10;
    const killed: unknown[] = [];
    oom.onOomKill = (victim) => {
      killed.push(victim);
      for (let i = 0; i < 50; i++) allocator.free(held.pop() as number, 0);
    };
    expect(reclaim.allocPages(task, 0, CHARGE_FULL)).not.toBe(NIL);
    expect(killed).toEqual([other]);
    expect(policy.asked.filter(({ want }) => want === 32).length).toBeGreaterThanOrEqual(17 * 26);
  });
});
