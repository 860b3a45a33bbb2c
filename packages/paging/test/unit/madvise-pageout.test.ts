import {
  EINVAL,
  NIL,
  PG_ACTIVE,
  PG_REFERENCED,
  PG_UNEVICTABLE,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { folioAt, pteString } from "../describe-mm.ts";
import { BASE, forkTask, READ_WRITE, touch, withRegion } from "../machine.ts";
import { createReclaimMachine } from "../reclaim-machine.ts";

test("folios go, accessed or not, first page first, and nobody asks the policy about it (REF-22)", () => {
  const machine = createReclaimMachine();
  const { memory, paging, memcg } = machine;
  const task = withRegion(machine, 8);
  machine.store(task, 0, 8);
  const pages = [2, 3, 4].map((page) => folioAt(memory, task.mm!, page));
  expect(paging.madvise(task, BASE + 2, 3, "pageout")).toBe(0);
  expect(pteString(memory, task.mm!, 8)).toBe("Y2s3Y3");
  expect([machine.reclaim.evicted, machine.reclaim.looks, memcg.charged]).toEqual([pages, [], 5]);
  expect(machine.batches.calls.includes("drain")).toBe(true);
});

test("folios that another address space maps are left alone (REF-22)", () => {
  const machine = createReclaimMachine();
  const task = withRegion(machine, 4);
  machine.store(task, 0, 4);
  forkTask(machine, task);
  expect(machine.paging.madvise(task, BASE, 4, "pageout")).toBe(0);
  expect(pteString(machine.memory, task.mm!, 4)).toBe("y4");
});

test("what cannot be freed goes back through the batches, without PG_active and its accesses (DEL-04)", () => {
  const machine = createReclaimMachine();
  const { memory, paging, batches } = machine;
  const { flags, refcount } = memory.folios;
  const task = withRegion(machine, 1);
  machine.store(task, 0, 1);
  const folio = folioAt(memory, task.mm!, 0);
  refcount[folio]! += 1;
  flags[folio]! |= PG_ACTIVE | PG_REFERENCED;
  batches.take();
  paging.madvise(task, BASE, 1, "pageout");
  expect(batches.take()).toEqual(["drain", `add ${folio}`]);
  expect((flags[folio] as number) & (PG_ACTIVE | PG_REFERENCED | PG_WORKINGSET)).toBe(
    PG_WORKINGSET,
  );
});

test("a folio that became unevictable is put back at once, unharmed (DEL-04)", () => {
  const machine = createReclaimMachine();
  const { memory, paging, batches } = machine;
  const task = withRegion(machine, 1);
  machine.store(task, 0, 1);
  const folio = folioAt(memory, task.mm!, 0);
  memory.lru.delFolio(memory.lruvecOf(folio), folio);
  memory.folios.flags[folio]! |= PG_UNEVICTABLE;
  batches.take();
  paging.madvise(task, BASE, 1, "pageout");
  expect(batches.take()).toEqual(["drain", `add ${folio}`]);
  expect(pteString(memory, task.mm!, 1)).toBe("Y1");
});

test("pages of a file are dropped; a part of a large folio is split off it first", () => {
  const machine = createReclaimMachine();
  const { memory, paging, batches } = machine;
  const file = machine.cachedFile(2, 8);
  const task = machine.task();
  paging.mmapFile(task.mm!, BASE, 8, READ_WRITE, paging.openFile(file), 0);
  touch(machine, task, 0, 8, "r");
  batches.drainAll();
  expect(paging.madvise(task, BASE, 6, "pageout")).toBe(0);
  expect(memory.pageCache.lookup(file, 3)).toBe(NIL);
  // The split unmapped the second folio before the walk came to its pages.
  expect(pteString(memory, task.mm!, 8)).toBe(".8");
  expect(file.cachedPages).toBe(4);
});

test("a locked VMA is EINVAL", () => {
  const machine = createReclaimMachine();
  const task = withRegion(machine, 1);
  machine.paging.mlock(task, BASE, 1);
  expect(machine.paging.madvise(task, BASE, 1, "pageout")).toBe(-EINVAL);
});
