import {
  EAGAIN,
  EBUSY,
  NIL,
  PG_DIRTY,
  PG_HEAD,
  PG_LRU,
  PG_REFERENCED,
  PG_SWAPCACHE,
  PG_WORKINGSET,
  PG_WRITEBACK,
  STATE_ANON,
  THP_SPLIT_PAGE,
  THP_SPLIT_PAGE_FAILED,
  THP_SPLIT_PMD,
  VM_READ,
  VM_SHARED,
  VM_WRITE,
} from "@lrugen/mm-core";
import { checkAllocator } from "@lrugen/mm-core/check";
import { describe, expect, test } from "vitest";
import { checkMappings } from "../../src/check/index.ts";
import { folioAt, pteString } from "../describe-mm.ts";
import { BASE, forkTask, touch, withRegion } from "../machine.ts";
import { createReclaimMachine, type ReclaimMachine } from "../reclaim-machine.ts";

const SHARED = VM_READ | VM_WRITE | VM_SHARED;

function written(
  order: number,
  pages: number,
): ReclaimMachine & { task0: ReturnType<ReclaimMachine["task"]> } {
  const machine = createReclaimMachine();
  machine.paging.thp.setSize(order, "always");
  const task0 = withRegion(machine, pages);
  machine.store(task0, 0, pages);
  return { ...machine, task0 };
}

/** Splits a folio with a reference of its own, which is left with the first page. */
function split(machine: ReclaimMachine, folio: number, list = NIL): number {
  machine.memory.folios.refcount[folio]! += 1;
  return machine.paging.folioReclaim.split.split(machine.sc.task.cpu, folio, list);
}

/** What the checkers say; `held` has one reference of the test. */
function violations(machine: ReclaimMachine, ...held: number[]): string[] {
  const { memory, mms, batches } = machine;
  const slots = batches.slots();
  const others = (folio: number): number =>
    (slots.get(folio) ?? 0) + held.filter((one) => one === folio).length;
  return [...checkMappings(memory, mms, others), ...checkAllocator(memory)];
}

test("every page is a folio of its own that has what the whole had (SPLIT-03, PT-16)", () => {
  const machine = written(2, 4);
  const { memory, task0 } = machine;
  const { folios } = memory;
  const folio = folioAt(memory, task0.mm!, 0);
  const child = forkTask(machine, task0);
  folios.flags[folio]! |= PG_WORKINGSET;
  const kept = (folios.flags[folio] as number) & ~PG_HEAD;
  expect(split(machine, folio)).toBe(0);
  for (let i = 0; i < 4; i++) {
    expect(folios.isLarge(folio + i)).toBe(false);
    // PTEs that were dirty made the whole folio dirty.
    expect(folios.flags[folio + i]).toBe(kept | PG_DIRTY);
    expect(folios.refcount[folio + i]).toBe(i === 0 ? 3 : 2);
    expect(folios.index[folio + i]).toBe(BASE + i);
    expect(folioAt(memory, child.mm!, i)).toBe(folio + i);
  }
  expect(kept & PG_REFERENCED).toBe(PG_REFERENCED);
  expect(pteString(memory, task0.mm!, 4)).toBe("y4");
  expect(violations(machine, folio)).toEqual([]);
});

describe("the other pages", () => {
  test("go right before the first, so that the list reads second, third, ..., last, first (SPLIT-04)", () => {
    const machine = written(2, 8);
    const { memory, memcg, task0 } = machine;
    const [older, newer] = [folioAt(memory, task0.mm!, 0), folioAt(memory, task0.mm!, 4)];
    const head = memcg.lruvecs[0]!.listHead;
    expect([...memory.lists.walk(head)]).toEqual([newer, older]);
    split(machine, newer);
    expect([...memory.lists.walk(head)]).toEqual([newer + 1, newer + 2, newer + 3, newer, older]);
    for (let i = 0; i < 4; i++)
      expect((memory.folios.flags[newer + i] as number) & PG_LRU).toBe(PG_LRU);
  });

  test("go to the tail of a caller's list with a reference each, off the LRU (SPLIT-04)", () => {
    const machine = written(2, 8);
    const { memory, task0 } = machine;
    const [first, second] = [folioAt(memory, task0.mm!, 0), folioAt(memory, task0.mm!, 4)];
    machine.isolate(second, first);
    memory.lists.del(second);
    machine.memory.folios.refcount[second]! -= 1;
    expect(split(machine, second, machine.list)).toBe(0);
    expect(machine.listed()).toEqual([second + 3, second + 2, second + 1, first]);
    for (let i = 0; i < 4; i++) {
      expect((memory.folios.flags[second + i] as number) & PG_LRU).toBe(0);
      expect(memory.folios.refcount[second + i]).toBe(2);
    }
  });

  test("die if nothing maps them (SPLIT-05)", () => {
    const machine = written(2, 4);
    const { memory, memcg, paging, task0 } = machine;
    const folio = folioAt(memory, task0.mm!, 0);
    paging.madvise(task0, BASE + 1, 2, "dontneed");
    expect(memory.deferredSplit.isQueued(folio)).toBe(true);
    split(machine, folio);
    expect(memcg.charged).toBe(2);
    expect(memory.deferredSplit.length(memcg.index, 0)).toBe(0);
    expect(violations(machine, folio)).toEqual([]);
  });

  test("that hold nothing but zeroes become the shared zero page, unless they are locked", () => {
    const machine = createReclaimMachine();
    const { memory, memcg, paging } = machine;
    paging.thp.setSize(9, "always");
    const task = withRegion(machine, 512);
    machine.store(task, 7, 1);
    const folio = folioAt(memory, task.mm!, 0);
    split(machine, folio);
    memory.release.put(task.cpu, folio);
    expect([memcg.charged, task.mm!.anonPages, memory.states.of(STATE_ANON, memcg.index)]).toEqual([
      1, 1, 1,
    ]);
    expect(pteString(memory, task.mm!, 512)).toBe("y7Y1y504");
    expect([THP_SPLIT_PAGE, THP_SPLIT_PMD].map((id) => memory.vmstat.values[id])).toEqual([1, 1]);
    expect(memcg.vmstat.values[THP_SPLIT_PAGE]).toBe(1);
    expect(violations(machine)).toEqual([]);
  });
});

test("a folio in the swap cache splits into pages with a slot each (SPLIT-01)", () => {
  const machine = written(2, 4);
  const { memory, paging, task0 } = machine;
  const folio = folioAt(memory, task0.mm!, 0);
  const { cache } = paging.swap;
  cache.allocSwap(folio);
  const slot = cache.firstSlot(folio);
  expect(split(machine, folio)).toBe(0);
  for (let i = 0; i < 4; i++) {
    expect([cache.lookup(slot + i), cache.firstSlot(folio + i)]).toEqual([folio + i, slot + i]);
    expect((memory.folios.flags[folio + i] as number) & PG_SWAPCACHE).toBe(PG_SWAPCACHE);
  }
  expect(violations(machine, folio)).toEqual([]);
});

test("a folio of a file is unmapped, and those beyond the end of the file go (SPLIT-02)", () => {
  const machine = createReclaimMachine();
  const { memory, paging, memcg } = machine;
  const file = machine.cachedFile(3, 8);
  const task = machine.task();
  paging.mmapFile(task.mm!, BASE, 8, SHARED, paging.openFile(file), 0);
  touch(machine, task, 0, 8, "r");
  file.pages = 6;
  const folio = memory.pageCache.lookup(file, 0);
  expect(split(machine, folio)).toBe(0);
  expect(pteString(memory, task.mm!, 8)).toBe(".8");
  expect([0, 1, 5, 6].map((page) => memory.pageCache.lookup(file, page))).toEqual([
    folio,
    folio + 1,
    folio + 5,
    NIL,
  ]);
  expect([file.cachedPages, memcg.charged]).toEqual([6, 6]);
  expect(violations(machine, folio)).toEqual([]);
});

describe("a split fails, and changes nothing,", () => {
  test("when somebody else holds a reference (SPLIT-02)", () => {
    const machine = written(9, 512);
    const { memory, task0 } = machine;
    const folio = folioAt(memory, task0.mm!, 0);
    memory.folios.refcount[folio]! += 1;
    expect(split(machine, folio)).toBe(-EAGAIN);
    expect(memory.folios.isLarge(folio)).toBe(true);
    expect(memory.vmstat.values[THP_SPLIT_PAGE_FAILED]).toBe(1);
    expect(memory.vmstat.values[THP_SPLIT_PMD]).toBe(0);
  });

  test("when it is a dirty folio of a file (scenario 167)", () => {
    const machine = createReclaimMachine();
    const { memory } = machine;
    const folio = memory.pageCache.lookup(machine.cachedFile(3, 8), 0);
    memory.folios.flags[folio]! |= PG_DIRTY;
    expect(split(machine, folio)).toBe(-EBUSY);
    memory.folios.flags[folio]! &= ~PG_DIRTY;
    memory.folios.refcount[folio]! -= 1; // of the attempt
    expect(split(machine, folio)).toBe(0);
  });

  test("under writeback (SPLIT-01)", () => {
    const machine = written(2, 4);
    const folio = folioAt(machine.memory, machine.task0.mm!, 0);
    machine.memory.folios.flags[folio]! |= PG_WRITEBACK;
    expect(split(machine, folio)).toBe(-EBUSY);
  });
});
