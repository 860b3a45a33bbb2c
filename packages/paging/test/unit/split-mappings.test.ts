import { THP_DEFERRED_SPLIT_PAGE, VM_LOCKED } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { folioAt, pteString } from "../describe-mm.ts";
import { BASE, createMachine, type Machine, withRegion } from "../machine.ts";

/** A machine with one folio of an order, all of it written to, and its task. */
function written(order: number): { machine: Machine; task: ReturnType<typeof withRegion> } {
  const machine = createMachine();
  machine.paging.thp.setSize(order, "always");
  const task = withRegion(machine, 1 << order);
  for (let page = 0; page < 1 << order; page++) machine.paging.store(task, BASE + page, 1);
  return { machine, task };
}

function deferred({ memory }: Machine): number {
  return memory.vmstat.values[THP_DEFERRED_SPLIT_PAGE] as number;
}

test("a split of what a PMD maps leaves no part mapped on the way (FOL-13; fixture 116)", () => {
  const { machine, task } = written(9);
  machine.paging.madvise(task, BASE + 5, 1, "cold");
  expect(machine.memory.folios.isLarge(folioAt(machine.memory, task.mm!, 5))).toBe(false);
  expect(deferred(machine)).toBe(0);
});

test("a split of what PTEs map does, and counts unless the folio did before (FOL-13; fixture 116)", () => {
  const { machine, task } = written(9);
  machine.paging.madvise(task, BASE + 100, 10, "random");
  machine.paging.madvise(task, BASE + 5, 1, "cold");
  expect(deferred(machine)).toBe(1);

  const other = written(9);
  other.machine.paging.munmap(other.task, BASE + 500, 3);
  expect(deferred(other.machine)).toBe(1);
  other.machine.paging.madvise(other.task, BASE + 5, 1, "cold");
  expect(deferred(other.machine)).toBe(1);
});

test("a locked VMA unlocks the folio entry by entry and locks its pages again (fixture 116)", () => {
  const { machine, task } = written(2);
  const folio = folioAt(machine.memory, task.mm!, 0);
  machine.paging.mlock(task, BASE + 2, 2);
  machine.batches.take();
  machine.paging.madvise(task, BASE, 1, "cold");
  const locks = [folio + 2, folio + 3].flatMap((page) => [`mlock ${page}`, "drainMlock"]);
  expect(machine.batches.take()).toEqual([
    "drain",
    `munlock ${folio}`,
    `munlock ${folio}`,
    ...locks,
    `deactivate ${folio}`,
  ]);
  expect(pteString(machine.memory, task.mm!, 4)).toBe("O1Y3");
});

test("a PMD of a locked VMA is unlocked once, and pages of zeroes stay (SPLIT-05)", () => {
  const machine = createMachine();
  machine.paging.thp.setSize(9, "always");
  const task = withRegion(machine, 512);
  machine.paging.store(task, BASE, 1);
  const folio = folioAt(machine.memory, task.mm!, 0);
  task.mm!.vmas[0]!.flags |= VM_LOCKED;
  machine.batches.drain(task.cpu);
  machine.batches.take();
  const { folios } = machine.memory;
  folios.refcount[folio]! += 1;
  expect(machine.paging.folioReclaim.split.split(task.cpu, folio, -1)).toBe(0);
  machine.memory.release.put(task.cpu, folio);
  const calls = machine.batches.take();
  expect(calls.filter((call) => call.startsWith("munlock"))).toEqual([`munlock ${folio}`]);
  expect(calls.filter((call) => call.startsWith("mlock")).length).toBe(512);
  expect(pteString(machine.memory, task.mm!, 512)).toBe("Y512");
});
