import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  type Mm,
  PG_REFERENCED,
  VM_READ,
  VM_SEQ_READ,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { FAULT_NONE, FAULT_SIGSEGV, TASK_SIZE_PAGES } from "../../src/index.ts";
import { folioAt, pmdString, pteString } from "../describe-mm.ts";
import { BASE, createMachine, READ_WRITE, touch, withRegion } from "../machine.ts";

/** What aging does: clears the accessed bit of every entry, tables included. */
function makeOld(memory: ReturnType<typeof createMachine>["memory"]): void {
  const { entries } = memory.pageTables;
  for (let slot = 0; slot < entries.length; slot++) entries[slot]! &= ~ENTRY_ACCESSED;
}

test("an access to a present page sets A of the PTE and of the PMD entry above it, and faults no more (PT-03, PT-05)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 16);
  touch(machine, task, 0, 4, "w");
  makeOld(machine.memory);
  expect(pteString(machine.memory, task.mm!, 16)).toBe("O4.12");
  expect(pmdString(machine.memory, task.mm!, 16)).toBe("t");

  touch(machine, task, 1, 1, "r");
  expect(pteString(machine.memory, task.mm!, 16)).toBe("O1Y1O2.12");
  expect(pmdString(machine.memory, task.mm!, 16)).toBe("T");
  expect(task.mm!.minorFaults).toBe(4);
});

test("only a write sets D", () => {
  const machine = createMachine();
  const task = withRegion(machine, 1);
  touch(machine, task, 0, 1, "w");
  const { pageTables } = machine.memory;
  pageTables.entries[pageTables.pteSlot(task.mm!.pgd, BASE)]! &= ~(ENTRY_ACCESSED | ENTRY_DIRTY);
  touch(machine, task, 0, 1, "r");
  expect(pteString(machine.memory, task.mm!, 1)).toBe("y1");
  touch(machine, task, 0, 1, "w");
  expect(pteString(machine.memory, task.mm!, 1)).toBe("Y1");
});

test("an access through a PMD leaf sets its bits, for all 512 pages (PT-15)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  const task = withRegion(machine, 512);
  touch(machine, task, 0, 1, "w");
  makeOld(machine.memory);
  touch(machine, task, 300, 1, "r");
  expect(pteString(machine.memory, task.mm!, 512)).toBe("Y512");
  expect(pmdString(machine.memory, task.mm!, 512)).toBe("H");
});

test("an access outside of all VMAs, or against their permissions, is a SIGSEGV and no fault", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  const mm = task.mm as Mm;
  machine.paging.mmapAnon(mm, BASE + 8, 4, VM_READ);
  machine.paging.mmapAnon(mm, BASE + 16, 4, 0);
  const { paging } = machine;
  expect(paging.access(task, BASE + 4, false)).toBe(FAULT_SIGSEGV);
  expect(paging.access(task, BASE + 8, false)).toBe(FAULT_NONE);
  expect(paging.access(task, BASE + 8, true)).toBe(FAULT_SIGSEGV);
  expect(paging.access(task, BASE + 16, false)).toBe(FAULT_SIGSEGV);
  expect(paging.access(task, TASK_SIZE_PAGES + 3, false)).toBe(FAULT_SIGSEGV);
  expect(paging.access(task, -1, false)).toBe(FAULT_SIGSEGV);
  expect(mm.minorFaults).toBe(1);
});

test("two regions 1 GiB apart share no cached page table", () => {
  const machine = createMachine();
  const task = withRegion(machine, 2);
  const far = BASE + 262_144;
  machine.paging.mmapAnon(task.mm as Mm, far, 2, READ_WRITE);
  touch(machine, task, 0, 2, "w");
  expect(machine.paging.access(task, far, true)).toBe(FAULT_NONE);
  touch(machine, task, 0, 2, "w");
  expect(task.mm!.minorFaults).toBe(3);
});

test("faults are LRU faults only where the VMA has recency (FLT-02, VMA-12)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 1);
  machine.paging.mmapAnon(task.mm as Mm, BASE + 8, 1, READ_WRITE | VM_SEQ_READ);
  touch(machine, task, 0, 1, "w");
  expect(task.inLruFault).toBe(false);
  touch(machine, task, 8, 1, "w");
  const { memory } = machine;
  const referenced = (page: number): number =>
    (memory.folios.flags[folioAt(memory, task.mm!, page)] as number) & PG_REFERENCED;
  expect(referenced(0)).toBe(PG_REFERENCED);
  expect(referenced(8)).toBe(0);
});

test("an address that no page table can hold leaves the cached one alone", () => {
  const machine = createMachine();
  const task = withRegion(machine, 1);
  touch(machine, task, 0, 1, "w");
  const { lastGib, lastPmdTable } = task.mm!;
  // Its top-level index would lie in the next table, which is in use.
  expect(machine.paging.access(task, 2 ** 36, false)).toBe(FAULT_SIGSEGV);
  expect([task.mm!.lastGib, task.mm!.lastPmdTable]).toEqual([lastGib, lastPmdTable]);
});
