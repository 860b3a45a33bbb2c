import { ENTRY_DIRTY, PG_ANON_EXCLUSIVE, VM_LOCKED, VM_RAND_READ } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { entryAt, folioAt, pmdString, pteString } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, READ_WRITE, touch, withRegion } from "../machine.ts";

test("parent young and clean, child old and clean; a write makes only the writer's entry dirty again (PT-20, PT-21)", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 16);
  touch(machine, parent, 0, 16, "w");
  const { memory } = machine;
  expect(pteString(memory, parent.mm!, 16)).toBe("Y16");
  const child = forkTask(machine, parent);
  expect(pteString(memory, parent.mm!, 16)).toBe("y16");
  expect(pteString(memory, child.mm!, 16)).toBe("o16");
  touch(machine, parent, 0, 4, "w");
  expect(pteString(memory, parent.mm!, 16)).toBe("Y4y12");
  touch(machine, child, 4, 4, "w");
  touch(machine, child, 8, 4, "r");
  expect(pteString(memory, child.mm!, 16)).toBe("o4Y4y4o4");
});

test("the kernel's view of dirty survives in both (PT-21)", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 1);
  touch(machine, parent, 0, 1, "w");
  const child = forkTask(machine, parent);
  expect(entryAt(machine.memory, parent.mm!, 0) & ENTRY_DIRTY).not.toBe(0);
  expect(entryAt(machine.memory, child.mm!, 0) & ENTRY_DIRTY).not.toBe(0);
});

test("both map the same folios, none exclusive, with one more reference a mapping; the LRU is not told", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(3, "always");
  const parent = withRegion(machine, 12);
  touch(machine, parent, 0, 1, "w");
  touch(machine, parent, 9, 1, "w");
  machine.batches.drain(parent.cpu);
  machine.batches.take();
  const child = forkTask(machine, parent);
  expect(machine.batches.take()).toEqual([]);
  const { folios } = machine.memory;
  const large = folioAt(machine.memory, child.mm!, 3);
  const small = folioAt(machine.memory, child.mm!, 9);
  expect([large, small]).toEqual([
    folioAt(machine.memory, parent.mm!, 3),
    folioAt(machine.memory, parent.mm!, 9),
  ]);
  expect([folios.refcount[large], folios.mapcountOf(large)]).toEqual([16, 16]);
  expect([folios.refcount[small], folios.mapcountOf(small)]).toEqual([2, 2]);
  for (let page = large; page < large + 8; page++) {
    expect((folios.flags[page] as number) & PG_ANON_EXCLUSIVE).toBe(0);
  }
  expect([child.mm!.anonPages, child.mm!.minorFaults]).toEqual([9, 0]);
});

test("VMAs keep their flags except the lock (VMA-01), and rmap finds both", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 4, VM_RAND_READ);
  touch(machine, parent, 0, 4, "w");
  machine.paging.mlock(parent, BASE, 4);
  const child = forkTask(machine, parent);
  expect(parent.mm!.vmas[0]!.flags).toBe(READ_WRITE | VM_RAND_READ | VM_LOCKED);
  expect(child.mm!.vmas[0]!.flags).toBe(READ_WRITE | VM_RAND_READ);
  const folio = folioAt(machine.memory, parent.mm!, 0);
  expect(machine.memory.rmap.anonVmasOf(folio)).toEqual([parent.mm!.vmas[0], child.mm!.vmas[0]]);
});

test("zero pages are copied old; a VMA that never had an anonymous folio copies no page tables", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 4);
  touch(machine, parent, 0, 2, "r");
  const early = forkTask(machine, parent);
  expect(pteString(machine.memory, early.mm!, 4)).toBe(".4");
  expect(pmdString(machine.memory, early.mm!, 4)).toBe(".");
  touch(machine, parent, 3, 1, "w");
  const late = forkTask(machine, parent);
  expect(pteString(machine.memory, late.mm!, 4)).toBe("o2.1o1");
  expect(pteString(machine.memory, parent.mm!, 4)).toBe("y2.1y1");
});

test("the child gets a page table wherever the parent has one below the VMA, empty or not", () => {
  const machine = createMachine(8192);
  const parent = withRegion(machine, 2048);
  touch(machine, parent, 0, 1, "w");
  touch(machine, parent, 1024, 1, "w");
  machine.paging.munmap(parent, BASE + 1024, 1);
  const child = forkTask(machine, parent);
  expect(pmdString(machine.memory, child.mm!, 2048)).toBe("T.T.");
});

test("PMD leaves are shared, the huge zero folio too", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  const parent = withRegion(machine, 1024);
  touch(machine, parent, 0, 1, "w");
  touch(machine, parent, 512, 1, "r");
  const child = forkTask(machine, parent);
  expect(pteString(machine.memory, parent.mm!, 1024)).toBe("y1024");
  expect(pteString(machine.memory, child.mm!, 1024)).toBe("o1024");
  expect(pmdString(machine.memory, child.mm!, 1024)).toBe("hh");
  expect(child.mm!.anonPages).toBe(512);
});
