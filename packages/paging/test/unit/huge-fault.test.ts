import {
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  PG_ANON_EXCLUSIVE,
  PG_LRU,
  PG_RESERVED,
  THP_FAULT_ALLOC,
  THP_FAULT_FALLBACK,
  THP_SPLIT_PMD,
  THP_ZERO_PAGE_ALLOC,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { FAULT_NONE } from "../../src/index.ts";
import { entryAt, folioAt, pmdString, pteString } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, type Machine, touch, withRegion } from "../machine.ts";

function hugeMachine(pages = 4096): Machine {
  const machine = createMachine(pages);
  machine.paging.thp.setSize(9, "always");
  return machine;
}

function counters({ memory }: Machine): Record<"alloc" | "fallback" | "split" | "zero", number> {
  const value = (id: number): number => memory.vmstat.values[id] as number;
  return {
    alloc: value(THP_FAULT_ALLOC),
    fallback: value(THP_FAULT_FALLBACK),
    split: value(THP_SPLIT_PMD),
    zero: value(THP_ZERO_PAGE_ALLOC),
  };
}

test("a write maps one order-9 folio by a PMD leaf: one reference, one mapping, 512 pages (FLT-15, CNT-01)", () => {
  const machine = hugeMachine();
  const task = withRegion(machine, 1024);
  touch(machine, task, 100, 1, "w");
  const { folios } = machine.memory;
  const folio = folioAt(machine.memory, task.mm!, 0);
  expect(pmdString(machine.memory, task.mm!, 1024)).toBe("H.");
  expect(pteString(machine.memory, task.mm!, 1024)).toBe("Y512.512");
  expect(folios.refcount[folio]).toBe(1);
  expect(folios.mapcountOf(folio)).toBe(1);
  expect(folios.entireMapcountOf(folio)).toBe(1);
  expect(folios.index[folio]).toBe(BASE);
  expect(task.mm!.anonPages).toBe(512);
  expect(task.mm!.minorFaults).toBe(1);
  expect(counters(machine)).toEqual({ alloc: 1, fallback: 0, split: 0, zero: 0 });
  expect(machine.memcg.vmstat.values[THP_FAULT_ALLOC]).toBe(1);
});

test("reads share one huge zero folio, of no memcg and on no list; a write replaces it in one fault (fixture 02)", () => {
  const machine = hugeMachine();
  const task = withRegion(machine, 1024);
  touch(machine, task, 0, 1, "r");
  touch(machine, task, 512, 1, "r");
  const { folios } = machine.memory;
  const leaf = entryAt(machine.memory, task.mm!, 0);
  expect(entryAt(machine.memory, task.mm!, 512)).toBe(leaf);
  expect(leaf & ENTRY_SPECIAL).not.toBe(0);
  const zero = leaf >>> ENTRY_SHIFT;
  expect((folios.flags[zero] as number) & (PG_LRU | PG_RESERVED)).toBe(0);
  expect(folios.order[zero]).toBe(9);
  expect(machine.memcg.charged).toBe(0);
  expect(task.mm!.anonPages).toBe(0);
  expect(pteString(machine.memory, task.mm!, 1024)).toBe("y1024");
  expect(counters(machine)).toEqual({ alloc: 0, fallback: 0, split: 0, zero: 1 });

  touch(machine, task, 512, 1, "w");
  expect(pteString(machine.memory, task.mm!, 1024)).toBe("y512Y512");
  expect(task.mm!.minorFaults).toBe(3);
  expect(counters(machine)).toEqual({ alloc: 1, fallback: 0, split: 0, zero: 1 });
});

test("a PMD block that does not fit into the VMA is no attempt and counts no fallback", () => {
  const machine = hugeMachine();
  const task = withRegion(machine, 511);
  touch(machine, task, 0, 1, "w");
  expect(pteString(machine.memory, task.mm!, 511)).toBe("Y1.510");
  expect(counters(machine).fallback).toBe(0);
});

test("without an order-9 block the fault falls back to PTEs and counts it (CNT-02)", () => {
  const machine = hugeMachine(1024);
  const task = withRegion(machine, 1024);
  touch(machine, task, 0, 1, "w");
  touch(machine, task, 512, 1, "w");
  expect(pmdString(machine.memory, task.mm!, 1024)).toBe("HT");
  expect(counters(machine)).toEqual({ alloc: 1, fallback: 1, split: 0, zero: 0 });
});

test("a read of an empty PMD without memory for the huge zero folio maps the small zero page", () => {
  const machine = hugeMachine(1024);
  const task = withRegion(machine, 1024);
  touch(machine, task, 0, 1, "w");
  touch(machine, task, 512, 1, "r");
  expect(pteString(machine.memory, task.mm!, 1024)).toBe("Y512y1.511");
  expect(counters(machine)).toEqual({ alloc: 1, fallback: 1, split: 0, zero: 0 });
});

test("a write to the huge zero folio without memory for 512 pages splits the PMD and copies one page", () => {
  const machine = hugeMachine(1024);
  const task = withRegion(machine, 512);
  touch(machine, task, 0, 1, "r");
  touch(machine, task, 7, 1, "w");
  expect(pteString(machine.memory, task.mm!, 512)).toBe("y7Y1y504");
  expect(task.mm!.anonPages).toBe(1);
  expect(counters(machine)).toEqual({ alloc: 0, fallback: 1, split: 1, zero: 1 });
});

test("after fork, a write to a shared PMD leaf splits it and copies one page; the folio stays whole (FLT-15, PT-16)", () => {
  const machine = hugeMachine();
  const parent = withRegion(machine, 512);
  touch(machine, parent, 0, 1, "w");
  const child = forkTask(machine, parent);
  const { folios } = machine.memory;
  const folio = folioAt(machine.memory, parent.mm!, 0);
  expect([
    pteString(machine.memory, parent.mm!, 512),
    pteString(machine.memory, child.mm!, 512),
  ]).toEqual(["y512", "o512"]);
  expect([folios.refcount[folio], folios.mapcountOf(folio)]).toEqual([2, 2]);

  touch(machine, child, 5, 1, "w");
  expect(pteString(machine.memory, child.mm!, 512)).toBe("o5Y1o506");
  expect(pmdString(machine.memory, child.mm!, 512)).toBe("T");
  expect(pmdString(machine.memory, parent.mm!, 512)).toBe("H");
  expect([folios.refcount[folio], folios.mapcountOf(folio)]).toEqual([512, 512]);
  expect(counters(machine).split).toBe(1);
});

test("once the other side is gone, a write to a PMD leaf reuses the folio (FLT-15)", () => {
  const machine = hugeMachine();
  const parent = withRegion(machine, 512);
  touch(machine, parent, 0, 1, "w");
  const child = forkTask(machine, parent);
  const folio = folioAt(machine.memory, parent.mm!, 0);
  machine.paging.madvise(parent, BASE, 512, "dontneed");
  expect(machine.paging.access(child, BASE + 9, true)).toBe(FAULT_NONE);
  expect(pteString(machine.memory, child.mm!, 512)).toBe("Y512");
  expect(folioAt(machine.memory, child.mm!, 0)).toBe(folio);
  expect((machine.memory.folios.flags[folio] as number) & PG_ANON_EXCLUSIVE).not.toBe(0);
  expect(machine.memory.rmap.anonVmasOf(folio)).toEqual(child.mm!.vmas);
});

test("splitting a leaf hands its bits and its exclusivity to every PTE (PT-16)", () => {
  const machine = hugeMachine();
  const task = withRegion(machine, 512);
  touch(machine, task, 0, 1, "w");
  const folio = folioAt(machine.memory, task.mm!, 0);
  machine.paging.munmap(task, BASE + 500, 12);
  const { flags, refcount } = machine.memory.folios;
  expect(pteString(machine.memory, task.mm!, 512)).toBe("Y500.12");
  expect(refcount[folio]).toBe(500);
  expect((flags[folio + 499] as number) & PG_ANON_EXCLUSIVE).not.toBe(0);
  const faults = task.mm!.minorFaults;
  touch(machine, task, 0, 500, "w");
  expect(task.mm!.minorFaults).toBe(faults);
  expect(task.mm!.anonPages).toBe(500);
});

test("a split folio that one address space maps is reused after a fork that ended (FLT-54)", () => {
  const machine = hugeMachine();
  const parent = withRegion(machine, 512);
  touch(machine, parent, 0, 1, "w");
  const folio = folioAt(machine.memory, parent.mm!, 0);
  machine.paging.munmap(parent, BASE + 500, 12);
  const child = forkTask(machine, parent);
  machine.paging.exitMm(child, child.mm!);
  touch(machine, parent, 3, 1, "w");
  expect(folioAt(machine.memory, parent.mm!, 3)).toBe(folio);
});

test("a VMA in which only the huge zero folio is mapped is copied by fork all the same", () => {
  const machine = hugeMachine();
  const parent = withRegion(machine, 512);
  touch(machine, parent, 0, 1, "r");
  const child = forkTask(machine, parent);
  expect(pmdString(machine.memory, child.mm!, 512)).toBe("h");
});
