import { PG_ANON_EXCLUSIVE } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { FAULT_OOM } from "../../src/index.ts";
import { folioAt, pteString } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, touch, withRegion } from "../machine.ts";

test("a write to a shared page copies it: the new folio keeps the page's index, the old one stays with the others (fixture 11)", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 4);
  touch(machine, parent, 0, 4, "w");
  machine.batches.drain(parent.cpu);
  const child = forkTask(machine, parent);
  const old = folioAt(machine.memory, parent.mm!, 2);
  machine.batches.take();
  touch(machine, child, 2, 1, "w");
  const copy = folioAt(machine.memory, child.mm!, 2);
  const { folios } = machine.memory;
  expect(copy).not.toBe(old);
  expect(folios.index[copy]).toBe(BASE + 2);
  expect(machine.batches.take()).toEqual([`add ${copy}`]);
  expect(folioAt(machine.memory, parent.mm!, 2)).toBe(old);
  expect([folios.refcount[old], folios.mapcount[old]]).toEqual([1, 1]);
  expect([child.mm!.anonPages, child.mm!.minorFaults]).toEqual([4, 1]);
  expect(pteString(machine.memory, child.mm!, 4)).toBe("o2Y1o1");
});

test("EX-06: after the other side exits, a write on the CPU whose batch holds the folio drains it and reuses it (FLT-52)", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 1);
  touch(machine, parent, 0, 1, "w");
  const folio = folioAt(machine.memory, parent.mm!, 0);
  const child = forkTask(machine, parent);
  expect(machine.memory.folios.refcount[folio]).toBe(3);
  machine.paging.exitMm(child, child.mm!);
  machine.batches.take();
  touch(machine, parent, 0, 1, "w");
  expect(folioAt(machine.memory, parent.mm!, 0)).toBe(folio);
  expect(machine.batches.take()).toEqual(["drain"]);
  expect(pteString(machine.memory, parent.mm!, 1)).toBe("Y1");
  expect((machine.memory.folios.flags[folio] as number) & PG_ANON_EXCLUSIVE).not.toBe(0);
});

test("EX-06: a slot in another CPU's batch cannot be drained, so the page is copied", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 1);
  touch(machine, parent, 0, 1, "w");
  const folio = folioAt(machine.memory, parent.mm!, 0);
  const child = forkTask(machine, parent, 1);
  machine.paging.exitMm(parent, parent.mm!);
  touch(machine, child, 0, 1, "w");
  expect(folioAt(machine.memory, child.mm!, 0)).not.toBe(folio);
  expect(machine.batches.calls).toContain("drain");
});

test("a folio that two address spaces map is copied without draining anything (FLT-52)", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 1);
  touch(machine, parent, 0, 1, "w");
  const child = forkTask(machine, parent);
  machine.batches.take();
  touch(machine, child, 0, 1, "w");
  expect(machine.batches.take()).not.toContain("drain");
});

test("a reused folio belongs to the writer's anon_vma: rmap no longer looks at the old one", () => {
  const machine = createMachine();
  const parent = withRegion(machine, 1);
  touch(machine, parent, 0, 1, "w");
  machine.batches.drain(parent.cpu);
  const child = forkTask(machine, parent);
  const folio = folioAt(machine.memory, child.mm!, 0);
  const { rmap } = machine.memory;
  expect(rmap.anonVmasOf(folio)).toEqual([parent.mm!.vmas[0], child.mm!.vmas[0]]);
  machine.paging.madvise(parent, BASE, 1, "dontneed");
  touch(machine, child, 0, 1, "w");
  expect(rmap.anonVmasOf(folio)).toEqual([child.mm!.vmas[0]]);
});

test("a PTE-mapped large folio is reused page by page once one address space holds all references (FLT-54)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(2, "always");
  const parent = withRegion(machine, 4);
  touch(machine, parent, 0, 1, "w");
  const folio = folioAt(machine.memory, parent.mm!, 0);
  const child = forkTask(machine, parent);
  machine.paging.exitMm(child, child.mm!);
  machine.batches.take();
  touch(machine, parent, 1, 1, "w");
  const { flags } = machine.memory.folios;
  expect(folioAt(machine.memory, parent.mm!, 1)).toBe(folio);
  expect(pteString(machine.memory, parent.mm!, 4)).toBe("y1Y1y2");
  expect((flags[folio] as number) & PG_ANON_EXCLUSIVE).toBe(0);
  expect((flags[folio + 1] as number) & PG_ANON_EXCLUSIVE).not.toBe(0);
  expect(machine.batches.take()).toEqual([]);
});

test("one more reference to a large folio makes the write copy (FLT-54)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(2, "always");
  const parent = withRegion(machine, 4);
  touch(machine, parent, 0, 1, "w");
  const folio = folioAt(machine.memory, parent.mm!, 0);
  const child = forkTask(machine, parent);
  machine.paging.exitMm(child, child.mm!);
  machine.memory.folios.refcount[folio]! += 1;
  touch(machine, parent, 1, 1, "w");
  expect(folioAt(machine.memory, parent.mm!, 1)).not.toBe(folio);
});

test("the last mapped page of a large folio is copied, so that the folio is freed (FLT-54)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(2, "always");
  const parent = withRegion(machine, 4);
  touch(machine, parent, 0, 1, "w");
  const child = forkTask(machine, parent);
  machine.paging.exitMm(child, child.mm!);
  machine.paging.munmap(parent, BASE + 1, 3);
  expect(machine.memcg.charged).toBe(4);
  touch(machine, parent, 0, 1, "w");
  expect(machine.memcg.charged).toBe(1);
});

test("a third address space that outlives the other two still counts as sharing, and copies (FOL-12, FLT-54)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(2, "always");
  const first = withRegion(machine, 4);
  touch(machine, first, 0, 1, "w");
  const folio = folioAt(machine.memory, first.mm!, 0);
  const second = forkTask(machine, first);
  const third = forkTask(machine, first);
  machine.paging.exitMm(first, first.mm!);
  machine.paging.exitMm(second, second.mm!);
  touch(machine, third, 0, 1, "w");
  expect(folioAt(machine.memory, third.mm!, 0)).not.toBe(folio);
});

test("a copy without memory is FAULT_OOM and leaves the page shared", () => {
  const machine = createMachine(1024);
  const parent = withRegion(machine, 1023);
  touch(machine, parent, 0, 1023, "w");
  const child = forkTask(machine, parent);
  expect(machine.paging.access(child, BASE, true)).toBe(FAULT_OOM);
  expect(folioAt(machine.memory, child.mm!, 0)).toBe(folioAt(machine.memory, parent.mm!, 0));
  expect(child.mm!.minorFaults).toBe(0);
});
