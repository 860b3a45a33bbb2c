import {
  ENTRY_SHIFT,
  ENTRY_SWAP_EXCLUSIVE,
  type MmuNotifier,
  type Mm,
  PG_ANON_EXCLUSIVE,
  PG_DIRTY,
  PG_SWAPBACKED,
  THP_SPLIT_PMD,
  VM_LOCKED,
  VM_READ,
  VM_SHARED,
  VM_WRITE,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { entryAt, folioAt, pteString } from "../describe-mm.ts";
import { BASE, forkTask, touch, withRegion } from "../machine.ts";
import { createReclaimMachine, type ReclaimMachine } from "../reclaim-machine.ts";

const SHARED = VM_READ | VM_WRITE | VM_SHARED;

function written(
  order: number,
  pages: number,
): ReclaimMachine & { task0: ReturnType<ReclaimMachine["task"]> } {
  const machine = createReclaimMachine();
  if (order > 0) machine.paging.thp.setSize(order, "always");
  const task0 = withRegion(machine, pages);
  machine.store(task0, 0, pages);
  return { ...machine, task0 };
}

/** Unmaps a folio as reclaim does, with a reference of its own. */
function unmap(machine: ReclaimMachine, folio: number, ignoreMlock = false): void {
  machine.memory.folios.refcount[folio]! += 1;
  machine.paging.folioReclaim.unmap.unmap(machine.sc.task.cpu, folio, ignoreMlock);
}

describe("swap-backed anonymous pages", () => {
  test("leave swap entries that remember exclusivity, in every address space (TTU-06, TTU-09)", () => {
    const machine = written(0, 2);
    const { memory, paging, task0 } = machine;
    const { folios } = memory;
    const [own, shared] = [folioAt(memory, task0.mm!, 0), folioAt(memory, task0.mm!, 1)];
    const child = forkTask(machine, task0);
    machine.store(child, 0, 1);
    machine.store(task0, 0, 1);
    for (const folio of [own, shared]) {
      expect(paging.swap.cache.allocSwap(folio)).toBe(0);
      unmap(machine, folio);
    }
    const slots = [paging.swap.cache.firstSlot(own), paging.swap.cache.firstSlot(shared)] as const;
    expect(entryAt(memory, task0.mm!, 0)).toBe((slots[0] << ENTRY_SHIFT) | ENTRY_SWAP_EXCLUSIVE);
    expect(entryAt(memory, task0.mm!, 1)).toBe(slots[1] << ENTRY_SHIFT);
    expect(entryAt(memory, child.mm!, 1)).toBe(slots[1] << ENTRY_SHIFT);
    expect([memory.swap.counts[slots[0]], memory.swap.counts[slots[1]]]).toEqual([1, 2]);
    expect([task0.mm!.anonPages, task0.mm!.swapEntries]).toEqual([0, 2]);
    expect([child.mm!.anonPages, child.mm!.swapEntries]).toEqual([1, 1]);
    expect([folios.mapcountOf(own), folios.refcount[own]]).toEqual([0, 2]);
    expect((folios.flags[own] as number) & (PG_ANON_EXCLUSIVE | PG_DIRTY)).toBe(PG_DIRTY);
  });

  test("that have no slot stay mapped (TTU-06)", () => {
    const machine = written(0, 1);
    const folio = folioAt(machine.memory, machine.task0.mm!, 0);
    unmap(machine, folio);
    expect(pteString(machine.memory, machine.task0.mm!, 1)).toBe("Y1");
    expect(machine.task0.mm!.anonPages).toBe(1);
  });

  test("below a PMD leaf are unmapped one by one, after it was split (TTU-04, CNT-04)", () => {
    const machine = written(9, 512);
    const { memory, paging, task0 } = machine;
    const folio = folioAt(memory, task0.mm!, 0);
    paging.swap.cache.allocSwap(folio);
    unmap(machine, folio);
    expect(pteString(memory, task0.mm!, 512)).toBe("s512");
    expect(memory.vmstat.values[THP_SPLIT_PMD]).toBe(1);
    expect(memory.folios.refcount[folio]).toBe(513);
    expect(memory.deferredSplit.length(machine.memcg.index, 0)).toBe(1);
  });
});

test("secondary MMUs hear of the folio's range in each VMA, mapped there or not (TTU-02)", () => {
  const machine = written(0, 2);
  const { memory, task0 } = machine;
  const child = forkTask(machine, task0);
  machine.store(task0, 1, 1);
  const calls: string[] = [];
  const notifier = (name: string): MmuNotifier => ({
    invalidateStart: (start, end) => calls.push(`${name} ${start - BASE} ${end - BASE}`),
    invalidateEnd: (start, end) => calls.push(`${name} done ${start - BASE} ${end - BASE}`),
    clearFlushYoung: () => false,
    clearYoung: () => false,
    testYoung: () => false,
    release: () => {},
  });
  child.mm!.notifiers.push(notifier("child"));
  task0.mm!.notifiers.push(notifier("parent"));
  const folio = folioAt(memory, child.mm!, 1);
  machine.paging.swap.cache.allocSwap(folio);
  unmap(machine, folio);
  expect(calls).toEqual(["parent 1 2", "parent done 1 2", "child 1 2", "child done 1 2"]);
});

describe("a locked VMA (TTU-03)", () => {
  test("keeps the folio, which is mlocked again if it is mapped whole", () => {
    const machine = written(0, 1);
    const { memory, paging, task0, batches } = machine;
    const folio = folioAt(memory, task0.mm!, 0);
    paging.swap.cache.allocSwap(folio);
    task0.mm!.vmas[0]!.flags |= VM_LOCKED;
    batches.take();
    unmap(machine, folio);
    expect(pteString(memory, task0.mm!, 1)).toBe("Y1");
    expect(batches.take()).toEqual([`mlock ${folio}`]);
  });

  test("keeps a partly mapped folio without locking it", () => {
    const machine = written(2, 4);
    const { memory, paging, task0, batches } = machine;
    const folio = folioAt(memory, task0.mm!, 0);
    paging.madvise(task0, BASE + 3, 1, "dontneed");
    task0.mm!.vmas[0]!.flags |= VM_LOCKED;
    batches.take();
    unmap(machine, folio);
    expect(pteString(memory, task0.mm!, 4)).toBe("Y3.1");
    expect(batches.take()).toEqual([]);
  });

  test("gives the folio up to a split", () => {
    const machine = written(0, 1);
    const { memory, paging, task0 } = machine;
    const folio = folioAt(memory, task0.mm!, 0);
    paging.swap.cache.allocSwap(folio);
    task0.mm!.vmas[0]!.flags |= VM_LOCKED;
    unmap(machine, folio, true);
    expect(pteString(memory, task0.mm!, 1)).toBe("s1");
  });
});

test("pages of a file go without a trace but for the dirty bit (TTU-05, TTU-08)", () => {
  const machine = createReclaimMachine();
  const { memory, paging } = machine;
  const file = machine.cachedFile(2, 4);
  const task = machine.task();
  paging.mmapFile(task.mm as Mm, BASE, 4, SHARED, paging.openFile(file), 0);
  touch(machine, task, 0, 4, "r");
  touch(machine, task, 2, 1, "w");
  const folio = memory.pageCache.lookup(file, 0);
  const before = (memory.folios.flags[folio] as number) & ~PG_DIRTY;
  memory.folios.flags[folio]! &= ~PG_DIRTY;
  file.dirtyPages = 0;
  unmap(machine, folio);
  expect(pteString(memory, task.mm!, 4)).toBe(".4");
  expect([task.mm!.filePages, memory.folios.mapcountOf(folio)]).toEqual([0, 0]);
  expect([memory.folios.flags[folio], file.dirtyPages]).toEqual([before | PG_DIRTY, 4]);
});

describe("lazily freed pages (TTU-07)", () => {
  test("are dropped while nobody wrote to them", () => {
    const machine = written(2, 4);
    const { memory, paging, task0, batches } = machine;
    const folio = folioAt(memory, task0.mm!, 0);
    paging.madvise(task0, BASE, 4, "free");
    memory.folios.flags[folio]! &= ~PG_SWAPBACKED;
    batches.drain(task0.cpu);
    unmap(machine, folio);
    expect(pteString(memory, task0.mm!, 4)).toBe(".4");
    expect([task0.mm!.anonPages, task0.mm!.swapEntries, memory.folios.refcount[folio]]).toEqual([
      0, 0, 1,
    ]);
  });

  test("are put back as one run: young and dirty if any of it was", () => {
    const machine = written(2, 4);
    const { memory, paging, task0, batches } = machine;
    const folio = folioAt(memory, task0.mm!, 0);
    paging.madvise(task0, BASE, 4, "free");
    batches.drain(task0.cpu);
    memory.folios.flags[folio]! &= ~PG_SWAPBACKED;
    touch(machine, task0, 2, 1, "w");
    expect(pteString(memory, task0.mm!, 4)).toBe("o2Y1o1");
    unmap(machine, folio);
    expect(pteString(memory, task0.mm!, 4)).toBe("Y4");
  });

  test.each(["written to", "held by somebody"])("stay when they are %s", (how) => {
    const machine = written(0, 1);
    const { memory, paging, task0, batches } = machine;
    const { folios } = memory;
    const folio = folioAt(memory, task0.mm!, 0);
    paging.madvise(task0, BASE, 1, "free");
    batches.drain(task0.cpu);
    folios.flags[folio]! &= ~PG_SWAPBACKED;
    if (how === "written to") touch(machine, task0, 0, 1, "w");
    else folios.refcount[folio]! += 1;
    unmap(machine, folio);
    expect(folios.mapcountOf(folio)).toBe(1);
    expect(((folios.flags[folio] as number) & PG_SWAPBACKED) !== 0).toBe(how === "written to");
  });
});
