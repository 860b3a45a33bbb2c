import type { Mm } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { BASE, createMachine, type Machine, READ_WRITE, touch } from "../machine.ts";

/** lru_lock acquisitions while everything of a region is freed; its folios are all on the LRU. */
function holdsOfZap(pages: number, order: number): number {
  const machine = createMachine(16_384, 1);
  if (order > 0) machine.paging.thp.setSize(order, "always");
  const task = machine.task();
  machine.paging.mmapAnon(task.mm as Mm, BASE, pages, READ_WRITE);
  touch(machine, task, 0, pages, "w");
  machine.batches.drainAll();
  return holdsOf(machine, () => machine.paging.madvise(task, BASE, pages, "dontneed"));
}

function holdsOf(machine: Machine, action: () => void): number {
  const { lock } = machine.memcg.lruvecs[0]!;
  const before = lock.acquisitions;
  action();
  return lock.acquisitions - before;
}

test.each([
  // CALC-03: 7 + 8 × 509 + 17 folios: 1 + 8 × 17 + 1 holds.
  ["order-0 folios", 4096, 0, 138],
  ["16 kB folios", 4096, 2, 37],
  ["32 kB folios", 4096, 3, 19],
  ["64 kB folios", 4096, 4, 10],
  ["128 kB folios", 4096, 5, 5],
  ["PMD-mapped folios", 4096, 9, 2],
])(
  "CALC-03: freeing 16 MiB of %s takes the lock %i/%i → %i times",
  (_name, pages, order, holds) => {
    expect(holdsOfZap(pages, order)).toBe(holds);
  },
);

test("EX-09: 20 small and three 16 kB folios in one zap: 7 in the local array, 16 in the next", () => {
  const machine = createMachine(1024, 1);
  const task = machine.task();
  machine.paging.mmapAnon(task.mm as Mm, BASE, 32, READ_WRITE);
  touch(machine, task, 0, 20, "w");
  machine.paging.thp.setSize(2, "always");
  touch(machine, task, 20, 12, "w");
  machine.batches.drainAll();
  expect(holdsOf(machine, () => machine.paging.munmap(task, BASE, 32))).toBe(2);
  expect(machine.memcg.charged).toBe(0);
});

test("when the last of 20 arrays is full everything is freed, and gathering begins anew (REL-04)", () => {
  // 7 + 19 × 509 = 9,678 folios fill all arrays: 1 + 19 × 17 holds. One more folio: one more hold.
  expect(holdsOfZap(9678, 0)).toBe(1 + 19 * 17);
  expect(holdsOfZap(9679, 0)).toBe(1 + 19 * 17 + 1);
});

test("a folio that waits in a batch outlives the zap until the drain (REL-07)", () => {
  const machine = createMachine();
  const task = machine.task();
  machine.paging.mmapAnon(task.mm as Mm, BASE, 4, READ_WRITE);
  touch(machine, task, 0, 4, "w");
  expect(holdsOf(machine, () => machine.paging.madvise(task, BASE, 4, "dontneed"))).toBe(0);
  expect([machine.memcg.charged, task.mm!.anonPages]).toEqual([4, 0]);
  machine.batches.drain(task.cpu);
  expect(machine.memcg.charged).toBe(0);
});
