import {
  EINVAL,
  ENOMEM,
  ENTRY_DIRTY,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  PG_ACTIVE,
  PG_DIRTY,
  PG_REFERENCED,
  PG_WORKINGSET,
  PG_YOUNG,
  THP_SPLIT_PMD,
  VM_HUGEPAGE,
  VM_NOHUGEPAGE,
  VM_RAND_READ,
  VM_READ,
  VM_SEQ_READ,
  NotModelledError,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { type Advice, TASK_SIZE_PAGES } from "../../src/index.ts";
import { entryAt, folioAt, pmdString, pteString } from "../describe-mm.ts";
import { BASE, createMachine, forkTask, READ_WRITE, touch, withRegion } from "../machine.ts";

/** The LRU_REFS field. */
function refs(word: number): number {
  return (word & LRU_REFS_MASK) >> LRU_REFS_PGOFF;
}

test.each([
  ["random", VM_SEQ_READ, VM_RAND_READ],
  ["sequential", VM_RAND_READ, VM_SEQ_READ],
  ["normal", VM_SEQ_READ, 0],
  ["hugepage", VM_NOHUGEPAGE, VM_HUGEPAGE],
  ["nohugepage", VM_HUGEPAGE, VM_NOHUGEPAGE],
] as const)("%s sets its flag and clears the opposite", (advice, before, after) => {
  const machine = createMachine();
  const task = withRegion(machine, 4, before);
  expect(machine.paging.madvise(task, BASE, 4, advice)).toBe(0);
  expect(task.mm!.vmas[0]!.flags & ~READ_WRITE).toBe(after);
});

test("holes are passed over and reported, whatever else was done", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  machine.paging.mmapAnon(task.mm!, BASE + 8, 4, READ_WRITE);
  touch(machine, task, 0, 4, "w");
  touch(machine, task, 8, 4, "w");
  expect(machine.paging.madvise(task, BASE + 2, 8, "dontneed")).toBe(-ENOMEM);
  expect(pteString(machine.memory, task.mm!, 12)).toBe("Y2.8Y2");
  expect(machine.paging.madvise(task, BASE + 20, 4, "cold")).toBe(-ENOMEM);
});

test("an unknown advice, or a range beyond user addresses, is EINVAL; an empty range does nothing", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  expect(machine.paging.madvise(task, BASE, 4, "warm" as Advice)).toBe(-EINVAL);
  expect(machine.paging.madvise(task, TASK_SIZE_PAGES, 4, "cold")).toBe(-EINVAL);
  expect(machine.paging.madvise(task, BASE, 0, "dontneed")).toBe(0);
  expect(machine.batches.calls).toEqual([]);
});

test("collapse is refused by name", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  expect(() => machine.paging.madvise(task, BASE, 4, "collapse")).toThrow(NotModelledError);
});

test("willneed on anonymous memory drains, since nothing is swapped out (BATCH-17)", () => {
  const machine = createMachine();
  const task = withRegion(machine, 4);
  expect(machine.paging.madvise(task, BASE, 4, "willneed")).toBe(0);
  expect(machine.batches.calls).toEqual(["drain"]);
});

describe("dontneed (REL-08)", () => {
  test("unmaps without a drain; the next access faults again", () => {
    const machine = createMachine();
    const task = withRegion(machine, 8);
    touch(machine, task, 0, 8, "w");
    machine.batches.take();
    expect(machine.paging.madvise(task, BASE + 2, 4, "dontneed")).toBe(0);
    expect(machine.batches.take()).toEqual([]);
    expect(pteString(machine.memory, task.mm!, 8)).toBe("Y2.4Y2");
    touch(machine, task, 3, 1, "r");
    expect(pteString(machine.memory, task.mm!, 8)).toBe("Y2.1y1.2Y2");
  });

  test("frees the page tables that it covers whole, and no others", () => {
    const machine = createMachine();
    const task = withRegion(machine, 1024);
    touch(machine, task, 0, 1, "w");
    touch(machine, task, 512, 1, "w");
    machine.paging.madvise(task, BASE + 1, 1023, "dontneed");
    expect(pmdString(machine.memory, task.mm!, 1024)).toBe("T.");
    touch(machine, task, 600, 1, "w");
    expect(pteString(machine.memory, task.mm!, 1024)).toBe("Y1.599Y1.423");
  });

  test("is EINVAL on a locked VMA", () => {
    const machine = createMachine();
    const task = withRegion(machine, 4);
    machine.paging.mlock(task, BASE, 4);
    expect(machine.paging.madvise(task, BASE, 4, "dontneed")).toBe(-EINVAL);
    expect(pteString(machine.memory, task.mm!, 4)).toBe("Y4");
  });
});

describe("cold (REF-21, REF-22)", () => {
  test("drains, clears accessed bits and references, and queues the deactivation", () => {
    const machine = createMachine();
    const task = withRegion(machine, 2);
    touch(machine, task, 0, 2, "w");
    const { flags } = machine.memory.folios;
    const [first, second] = [0, 1].map((page) => folioAt(machine.memory, task.mm!, page));
    flags[first!]! |= PG_YOUNG;
    flags[second!]! |= PG_ACTIVE;
    machine.batches.take();
    expect(machine.paging.madvise(task, BASE, 2, "cold")).toBe(0);
    expect(machine.batches.take()).toEqual([
      "drain",
      `deactivate ${first}`,
      `deactivate ${second}`,
    ]);
    expect(pteString(machine.memory, task.mm!, 2)).toBe("O2");
    expect((flags[first!] as number) & (PG_REFERENCED | PG_YOUNG | PG_WORKINGSET)).toBe(0);
    expect((flags[second!] as number) & PG_WORKINGSET).toBe(PG_WORKINGSET);
  });

  test("leaves shared folios and those off the LRU alone, young bits too", () => {
    const machine = createMachine();
    const task = withRegion(machine, 2);
    touch(machine, task, 0, 1, "w");
    machine.batches.drain(task.cpu);
    forkTask(machine, task);
    // Added on the other CPU: the local drain does not put it on the LRU.
    const other = machine.task(1, task.mm!);
    touch(machine, other, 1, 1, "w");
    machine.batches.take();
    machine.paging.madvise(task, BASE, 2, "cold");
    expect(machine.batches.take()).toEqual(["drain"]);
    expect(pteString(machine.memory, task.mm!, 2)).toBe("y1Y1");
  });

  test("takes large folios whole, by PTEs or by a PMD leaf", () => {
    const machine = createMachine();
    machine.paging.thp.setSize(2, "always");
    machine.paging.thp.setSize(9, "always");
    const task = withRegion(machine, 512 + 8);
    touch(machine, task, 0, 1, "w");
    touch(machine, task, 512, 8, "w");
    const folios = [0, 512, 516].map((page) => folioAt(machine.memory, task.mm!, page));
    machine.batches.take();
    machine.paging.madvise(task, BASE, 520, "cold");
    expect(machine.batches.take()).toEqual([
      "drain",
      ...folios.map((folio) => `deactivate ${folio}`),
    ]);
    expect(pteString(machine.memory, task.mm!, 520)).toBe("O520");
    expect(pmdString(machine.memory, task.mm!, 512)).toBe("h");
  });

  test("is EINVAL on a locked VMA", () => {
    const machine = createMachine();
    const task = withRegion(machine, 4);
    machine.paging.mlock(task, BASE, 4);
    expect(machine.paging.madvise(task, BASE, 4, "cold")).toBe(-EINVAL);
  });
});

describe("free (REF-24)", () => {
  test("drains, makes entries old and clean but still writable, and queues the lazy free (fixture 22)", () => {
    const machine = createMachine();
    const task = withRegion(machine, 4);
    touch(machine, task, 0, 4, "w");
    const folios = [1, 2].map((page) => folioAt(machine.memory, task.mm!, page));
    machine.batches.take();
    expect(machine.paging.madvise(task, BASE + 1, 2, "free")).toBe(0);
    expect(machine.batches.take()).toEqual([
      "drain",
      ...folios.map((folio) => `lazyFree ${folio}`),
    ]);
    expect(pteString(machine.memory, task.mm!, 4)).toBe("Y1o2Y1");
    expect(entryAt(machine.memory, task.mm!, 1) & ENTRY_DIRTY).toBe(0);
    const faults = task.mm!.minorFaults;
    touch(machine, task, 1, 1, "w");
    expect(task.mm!.minorFaults).toBe(faults);
    expect(pteString(machine.memory, task.mm!, 4)).toBe("Y2o1Y1");
  });

  test("frees the PMD leaf of one address space, not a shared one", () => {
    const machine = createMachine();
    machine.paging.thp.setSize(9, "always");
    const task = withRegion(machine, 1024);
    touch(machine, task, 0, 1024, "w");
    const folio = folioAt(machine.memory, task.mm!, 0);
    const { flags } = machine.memory.folios;
    flags[folio]! |= PG_DIRTY;
    machine.batches.take();
    machine.paging.madvise(task, BASE, 512, "free");
    expect((flags[folio] as number) & PG_DIRTY).toBe(0);
    expect(machine.batches.take()).toEqual(["drain", `lazyFree ${folio}`]);
    expect(pteString(machine.memory, task.mm!, 1024)).toBe("o512Y512");
    forkTask(machine, task);
    machine.paging.madvise(task, BASE + 512, 512, "free");
    expect(machine.batches.take()).toEqual(["drain"]);
  });

  test("cleans a dirty folio that is its own, and leaves a shared dirty one alone", () => {
    const machine = createMachine();
    const task = withRegion(machine, 2);
    touch(machine, task, 0, 2, "w");
    const { flags } = machine.memory.folios;
    const [own, shared] = [0, 1].map((page) => folioAt(machine.memory, task.mm!, page));
    forkTask(machine, task);
    touch(machine, task, 0, 1, "w");
    const copy = folioAt(machine.memory, task.mm!, 0);
    expect(copy).not.toBe(own);
    for (const folio of [copy, shared]) flags[folio!]! |= PG_DIRTY;
    machine.batches.take();
    machine.paging.madvise(task, BASE, 2, "free");
    expect(machine.batches.take()).toEqual(["drain", `lazyFree ${copy}`]);
    expect((flags[copy] as number) & PG_DIRTY).toBe(0);
    expect((flags[shared!] as number) & PG_DIRTY).toBe(PG_DIRTY);
    expect(pteString(machine.memory, task.mm!, 2)).toBe("o1y1");
  });

  test("is EINVAL on a locked VMA", () => {
    const machine = createMachine();
    const task = withRegion(machine, 4);
    machine.paging.mlock(task, BASE, 4);
    expect(machine.paging.madvise(task, BASE, 4, "free")).toBe(-EINVAL);
  });
});

describe.each(["cold", "free"] as const)(
  "%s over part of a large folio (REF-22, REF-24)",
  (advice) => {
    test("splits it, and gives the advice to the pages of the range", () => {
      const machine = createMachine();
      machine.paging.thp.setSize(2, "always");
      const task = withRegion(machine, 8);
      for (let page = 0; page < 8; page++) machine.paging.store(task, BASE + page, 1);
      machine.batches.take();
      const folio = folioAt(machine.memory, task.mm!, 4);
      expect(machine.paging.madvise(task, BASE, 6, advice)).toBe(0);
      const batch = advice === "cold" ? "deactivate" : "lazyFree";
      const first = folioAt(machine.memory, task.mm!, 0);
      expect(machine.batches.take()).toEqual([
        "drain",
        `${batch} ${first}`,
        `${batch} ${folio}`,
        `${batch} ${folio + 1}`,
      ]);
      expect(pteString(machine.memory, task.mm!, 8)).toBe(advice === "cold" ? "O6Y2" : "o6Y2");
      expect(machine.memory.folios.isLarge(folio)).toBe(false);
    });

    test("splits a PMD leaf, whose pages of zeroes become the zero page", () => {
      const machine = createMachine();
      machine.paging.thp.setSize(9, "always");
      const task = withRegion(machine, 512);
      machine.paging.store(task, BASE + 3, 1);
      machine.batches.take();
      expect(machine.paging.madvise(task, BASE, 500, advice)).toBe(0);
      expect(pteString(machine.memory, task.mm!, 512)).toBe(
        `y3${advice === "cold" ? "O" : "o"}1y508`,
      );
      expect(machine.memory.vmstat.values[THP_SPLIT_PMD]).toBe(1);
      expect(machine.batches.take().length).toBe(2);
    });

    test("leaves it alone when another address space may map it, or somebody holds it", () => {
      const machine = createMachine();
      machine.paging.thp.setSize(2, "always");
      const task = withRegion(machine, 8);
      touch(machine, task, 0, 8, "w");
      const held = folioAt(machine.memory, task.mm!, 0);
      machine.memory.folios.refcount[held]! += 1;
      machine.batches.take();
      expect(machine.paging.madvise(task, BASE, 2, advice)).toBe(0);
      machine.memory.folios.refcount[held]! -= 1;
      forkTask(machine, task);
      expect(machine.paging.madvise(task, BASE + 4, 2, advice)).toBe(0);
      expect(machine.batches.take()).toEqual(["drain", "drain"]);
      expect(machine.memory.folios.isLarge(held)).toBe(true);
    });
  },
);

describe("populate", () => {
  test("writes fault in once a page and count as one more access of each folio (fixture 42)", () => {
    const machine = createMachine();
    const task = withRegion(machine, 16);
    expect(machine.paging.madvise(task, BASE, 8, "populate_write")).toBe(0);
    expect(pteString(machine.memory, task.mm!, 16)).toBe("Y8.8");
    expect(task.mm!.minorFaults).toBe(8);
    const word = machine.memory.folios.flags[folioAt(machine.memory, task.mm!, 3)] as number;
    expect([word & PG_REFERENCED, refs(word)]).toEqual([PG_REFERENCED, 1]);
  });

  test("drains once at the end, after all VMAs or at a hole (fixture 70)", () => {
    const machine = createMachine();
    const task = withRegion(machine, 16);
    machine.paging.madvise(task, BASE + 4, 2, "random");
    machine.batches.take();
    expect(machine.paging.madvise(task, BASE + 3, 2, "populate_write")).toBe(0);
    const added = machine.batches.take();
    expect([added.length, added.at(-1)]).toEqual([3, "drain"]);
    expect(machine.paging.madvise(task, BASE + 16, 1, "populate_read")).toBe(-ENOMEM);
    expect(machine.batches.take()).toEqual(["drain"]);
  });

  test("pages that are there are marked once each, without a fault, without an accessed bit", () => {
    const machine = createMachine();
    machine.paging.thp.setSize(2, "always");
    const task = withRegion(machine, 4);
    touch(machine, task, 0, 1, "w");
    machine.batches.drain(task.cpu);
    machine.paging.madvise(task, BASE, 4, "cold");
    machine.paging.madvise(task, BASE, 3, "populate_read");
    expect(pteString(machine.memory, task.mm!, 4)).toBe("O4");
    const word = machine.memory.folios.flags[folioAt(machine.memory, task.mm!, 0)] as number;
    expect([word & PG_REFERENCED, refs(word)]).toEqual([PG_REFERENCED, 2]);
    expect(task.mm!.minorFaults).toBe(1);
  });

  test("reads map zero pages", () => {
    const machine = createMachine();
    const task = withRegion(machine, 4);
    expect(machine.paging.madvise(task, BASE, 4, "populate_read")).toBe(0);
    expect(pteString(machine.memory, task.mm!, 4)).toBe("y4");
  });

  test("a PMD leaf is gone over in one step and becomes young by a write only", () => {
    const machine = createMachine();
    machine.paging.thp.setSize(9, "always");
    const task = withRegion(machine, 512);
    expect(machine.paging.madvise(task, BASE + 3, 100, "populate_write")).toBe(0);
    machine.paging.madvise(task, BASE, 512, "cold");
    expect(pmdString(machine.memory, task.mm!, 512)).toBe("h");
    machine.paging.madvise(task, BASE + 7, 1, "populate_read");
    expect(pmdString(machine.memory, task.mm!, 512)).toBe("h");
    machine.paging.madvise(task, BASE + 7, 1, "populate_write");
    expect(pmdString(machine.memory, task.mm!, 512)).toBe("H");
    expect(task.mm!.minorFaults).toBe(1);
  });

  test("a write to a shared PMD leaf copies one page of it", () => {
    const machine = createMachine();
    machine.paging.thp.setSize(9, "always");
    const parent = withRegion(machine, 512);
    touch(machine, parent, 0, 1, "w");
    const child = forkTask(machine, parent);
    expect(machine.paging.madvise(child, BASE + 9, 1, "populate_write")).toBe(0);
    expect(pteString(machine.memory, child.mm!, 512)).toBe("o9Y1o502");
  });

  test("a write to a clean writable page dirties the folio", () => {
    const machine = createMachine();
    const task = withRegion(machine, 1);
    touch(machine, task, 0, 1, "w");
    machine.paging.madvise(task, BASE, 1, "free");
    machine.paging.madvise(task, BASE, 1, "populate_write");
    const word = machine.memory.folios.flags[folioAt(machine.memory, task.mm!, 0)] as number;
    expect(word & PG_DIRTY).toBe(PG_DIRTY);
    expect(pteString(machine.memory, task.mm!, 1)).toBe("o1");
  });

  test("a hole or lack of memory is ENOMEM, a missing permission EINVAL", () => {
    const machine = createMachine(1024);
    const task = withRegion(machine, 2);
    machine.paging.mmapAnon(task.mm!, BASE + 4, 1024, VM_READ);
    const populate = (first: number, pages: number, advice: Advice): number =>
      machine.paging.madvise(task, BASE + first, pages, advice);
    expect(populate(0, 4, "populate_read")).toBe(-ENOMEM);
    expect(pteString(machine.memory, task.mm!, 4)).toBe("y2.2");
    expect(populate(4, 4, "populate_write")).toBe(-EINVAL);
    machine.paging.mmapAnon(task.mm!, BASE + 2048, 1024, READ_WRITE);
    expect(populate(2048, 1024, "populate_write")).toBe(-ENOMEM);
    machine.paging.mmapAnon(task.mm!, BASE + 8192, 4, 0);
    expect(populate(8192, 4, "populate_read")).toBe(-EINVAL);
  });
});
