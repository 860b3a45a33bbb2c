import {
  ENTRY_SPECIAL,
  PG_ANON_EXCLUSIVE,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UPTODATE,
  VM_HUGEPAGE,
  VM_NOHUGEPAGE,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { FAULT_NONE, FAULT_OOM } from "../../src/index.ts";
import { entryAt, folioAt, pteString } from "../describe-mm.ts";
import { BASE, createMachine, type Machine, touch, withRegion } from "../machine.ts";

function orderAt(machine: Machine, mm: Parameters<typeof folioAt>[1], page: number): number {
  const { folios } = machine.memory;
  const folio = folioAt(machine.memory, mm, page);
  return folios.isLarge(folio) ? (folios.order[folio] as number) : 0;
}

test("a read maps the zero page, with no folio and no LRU call (FLT-12)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  touch(machine, task, 0, 8, "r");
  expect(pteString(machine.memory, task.mm!, 8)).toBe("y8");
  expect(entryAt(machine.memory, task.mm!, 3) & ENTRY_SPECIAL).not.toBe(0);
  expect(machine.batches.calls).toEqual([]);
  expect(machine.memcg.charged).toBe(0);
  expect(task.mm!.minorFaults).toBe(8);
  expect(task.mm!.anonPages).toBe(0);
});

test("a write over the zero page takes a second fault and a folio (fixture 01)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 8);
  touch(machine, task, 0, 8, "r");
  touch(machine, task, 0, 4, "w");
  expect(pteString(machine.memory, task.mm!, 8)).toBe("Y4y4");
  expect(task.mm!.minorFaults).toBe(12);
  expect(task.mm!.anonPages).toBe(4);
});

test("a written page is up to date, swap-backed, exclusive, charged, and held by its PTE and its batch slot (FLT-13, FOL-22)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 1);
  touch(machine, task, 0, 1, "w");
  const { folios } = machine.memory;
  const folio = folioAt(machine.memory, task.mm!, 0);
  expect(folios.flags[folio]).toBe(PG_UPTODATE | PG_SWAPBACKED | PG_ANON_EXCLUSIVE | PG_REFERENCED);
  expect(folios.refcount[folio]).toBe(2);
  expect(machine.batches.take()).toEqual([`add ${folio}`]);
  expect(machine.memcg.charged).toBe(1);
  machine.batches.drain(task.cpu);
  expect(folios.refcount[folio]).toBe(1);
});

describe("order selection (FLT-10, FLT-11)", () => {
  test("one write fault maps a whole folio: n PTEs young and dirty, n references (FOL-22)", () => {
    const machine = createMachine();
    machine.paging.thp.setSize(2, "always");
    const task = withRegion(machine, 64);
    touch(machine, task, 5, 1, "w");
    const { folios } = machine.memory;
    const folio = folioAt(machine.memory, task.mm!, 5);
    expect(pteString(machine.memory, task.mm!, 64)).toBe(".4Y4.56");
    expect(folios.refcount[folio]).toBe(4);
    expect(folios.mapcountOf(folio)).toBe(4);
    expect(folios.index[folio]).toBe(BASE + 4);
    expect(task.mm!.minorFaults).toBe(1);
    expect(task.mm!.anonPages).toBe(4);
  });

  test("the highest enabled order whose block is empty and inside the VMA is taken", () => {
    const machine = createMachine();
    machine.paging.thp.setSize(2, "always");
    machine.paging.thp.setSize(4, "always");
    const task = withRegion(machine, 40);
    touch(machine, task, 0, 1, "w");
    expect(orderAt(machine, task.mm!, 0)).toBe(4);
    touch(machine, task, 33, 1, "w");
    expect(orderAt(machine, task.mm!, 33)).toBe(2);
  });

  test("one page that is there already keeps the block small", () => {
    const machine = createMachine();
    const task = withRegion(machine, 16);
    touch(machine, task, 9, 1, "r");
    machine.paging.thp.setSize(2, "always");
    machine.paging.thp.setSize(3, "always");
    touch(machine, task, 12, 1, "w");
    expect(orderAt(machine, task.mm!, 12)).toBe(2);
    touch(machine, task, 8, 1, "w");
    expect(orderAt(machine, task.mm!, 8)).toBe(0);
    expect(pteString(machine.memory, task.mm!, 16)).toBe(".8Y1y1.2Y4");
  });

  test("without a free block of that order the next lower one serves", () => {
    const machine = createMachine(1024);
    const task = withRegion(machine, 1024);
    // Every 16th page stays in use, so that no block of 16 is free.
    touch(machine, task, 0, 1023, "w");
    for (let page = 0; page < 1023; page++) {
      if (page % 16 !== 8) machine.paging.munmap(task, BASE + page, 1);
    }
    machine.batches.drainAll();
    machine.paging.thp.setSize(4, "always");
    machine.paging.thp.setSize(2, "always");
    const other = withRegion(machine, 64);
    touch(machine, other, 0, 1, "w");
    expect(orderAt(machine, other.mm!, 0)).toBe(2);
  });

  test("VM_HUGEPAGE and VM_NOHUGEPAGE decide what madvise sizes serve", () => {
    const orders = [0, VM_HUGEPAGE, VM_NOHUGEPAGE].map((flags) => {
      const machine = createMachine();
      machine.paging.thp.setGlobal("madvise");
      machine.paging.thp.setSize(2, "madvise");
      const task = withRegion(machine, 16, flags);
      touch(machine, task, 0, 1, "w");
      return orderAt(machine, task.mm!, 0);
    });
    expect(orders).toEqual([0, 2, 0]);
  });
});

test("without memory a write fault is FAULT_OOM and maps nothing, while reads go on", () => {
  const machine = createMachine(1024);
  const task = withRegion(machine, 2048);
  touch(machine, task, 0, 1023, "w");
  expect(machine.paging.access(task, BASE + 1023, true)).toBe(FAULT_OOM);
  expect(entryAt(machine.memory, task.mm!, 1023)).toBe(0);
  expect(task.mm!.minorFaults).toBe(1023);
  expect(machine.paging.access(task, BASE + 1023, false)).toBe(FAULT_NONE);
  expect(machine.paging.access(task, BASE + 1023, true)).toBe(FAULT_OOM);
});
