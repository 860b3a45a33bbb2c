import { Task } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { createLimitMachine } from "../../limit-machine.ts";

test("the counters of a memcg are charged to its parent, in whole pages out of a batch of 64 (CHG-40)", () => {
  const { memory, paging, memcg } = createLimitMachine();
  const controller = new Task(memory.hw.cpus[0]!, null);
  const free = paging.createMemcg(controller, memory.root, 67, "u");
  expect(free.structBytes).toBe(0);
  // Two CPUs: 12,432 bytes, which are 4 pages, and the other 60 of the batch stay in stock.
  const child = paging.createMemcg(controller, memcg, 106, "a");
  expect([child.structBytes, memcg.kernelPages, memcg.memory.usage]).toEqual([12_432, 4, 64]);
  expect(paging.removeMemcg(controller, child)).toBe(0);
  expect(memcg.kernelPages).toBeLessThan(4);
});

test("they stay while a swap slot names the memcg", () => {
  const { memory, paging, memcg } = createLimitMachine();
  const controller = new Task(memory.hw.cpus[0]!, null);
  const child = paging.createMemcg(controller, memcg, 106, "a");
  child.swap.charge(1);
  expect(paging.removeMemcg(controller, child)).toBe(0);
  expect(memcg.kernelPages).toBe(4);
});
