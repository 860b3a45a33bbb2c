import {
  ENTRY_ACCESSED,
  ENTRY_SHIFT,
  EINVAL,
  type FileMapping,
  type Memory,
  NIL,
  NR_VMSCAN_IMMEDIATE,
  NR_VMSCAN_WRITE,
  PG_ACTIVE,
  PG_BUDDY,
  PG_DIRTY,
  PG_LRU,
  PG_MLOCKED,
  PG_RECLAIM,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_WRITEBACK,
  PGACTIVATE,
  PGLAZYFREED,
  PSWPOUT,
  SWPOUT_ZERO,
  THP_SPLIT_PAGE,
  THP_SWPOUT,
  THP_SWPOUT_FALLBACK,
  VM_READ,
  VM_SHARED,
  VM_WRITE,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { entryAt, folioAt, pteString } from "../describe-mm.ts";
import { SHADOW } from "../fake-reclaim.ts";
import { BASE, forkTask, touch, withRegion } from "../machine.ts";
import { createReclaimMachine, type ReclaimMachine } from "../reclaim-machine.ts";

const SHARED = VM_READ | VM_WRITE | VM_SHARED;

interface Written extends ReclaimMachine {
  readonly task0: ReturnType<ReclaimMachine["task"]>;
  /** Folio of each page. */
  readonly pages: number[];
}

/** A region that was written to and not accessed since. */
function written(order: number, pages: number, swapPages = 4096): Written {
  const machine = createReclaimMachine(swapPages);
  if (order > 0) machine.paging.thp.setSize(order, "always");
  const task0 = withRegion(machine, pages);
  machine.store(task0, 0, pages);
  const folios = Array.from({ length: pages }, (_, page) =>
    folioAt(machine.memory, task0.mm!, page),
  );
  for (const folio of new Set(folios))
    machine.paging.folioReclaim.referenced.check(task0.cpu, folio, null);
  machine.reclaim.looks.length = 0;
  return { ...machine, task0, pages: folios };
}

/** A page of shared memory, written to and not accessed since. */
function shared(swapPages: number): Written {
  const machine = createReclaimMachine(swapPages);
  const task0 = machine.task();
  machine.paging.mmapAnon(task0.mm!, BASE, 1, SHARED);
  machine.store(task0, 0, 1);
  const folio = folioAt(machine.memory, task0.mm!, 0);
  machine.paging.folioReclaim.referenced.check(task0.cpu, folio, null);
  return { ...machine, task0, pages: [folio] };
}

/** A page that MADV_FREE was told of. */
function lazy(): Written {
  const machine = written(0, 1);
  const { memory, paging, task0, pages } = machine;
  expect(paging.madvise(task0, BASE, 1, "free")).not.toBe(-EINVAL);
  machine.batches.drain(task0.cpu);
  memory.folios.flags[pages[0]!]! &= ~PG_SWAPBACKED;
  return machine;
}

function flagsOf({ memory }: { memory: Memory }, folio: number, mask: number): number {
  return (memory.folios.flags[folio] as number) & mask;
}

function counts({ memory }: { memory: Memory }, ...ids: number[]): number[] {
  return ids.map((id) => memory.vmstat.values[id] as number);
}

function cached(
  machine: ReclaimMachine,
  order: number,
  pages: number,
): { file: FileMapping; folio: number } {
  const file = machine.cachedFile(order, pages);
  return { file, folio: machine.memory.pageCache.lookup(file, 0) };
}

describe("anonymous memory on a synchronous device", () => {
  test("is given slots, unmapped, written and freed in one pass (SFL-12, SFL-16, SFL-20, SFL-23)", () => {
    const machine = written(0, 2);
    const { memory, task0, pages, memcg, sc } = machine;
    expect(machine.shrink(...pages)).toBe(2);
    expect([machine.listed(), sc.nrScanned, memcg.charged]).toEqual([[], 2, 0]);
    expect(pteString(memory, task0.mm!, 2)).toBe("s2");
    expect(counts(machine, NR_VMSCAN_WRITE, PSWPOUT)).toEqual([2, 2]);
    expect(
      flagsOf(machine, pages[0]!, PG_BUDDY) !== 0 || flagsOf(machine, pages[1]!, PG_BUDDY) !== 0,
    ).toBe(true);
    const slot = entryAt(memory, task0.mm!, 0) >>> ENTRY_SHIFT;
    expect(machine.paging.swap.cache.shadowAt(slot)).toBe(SHADOW);
    expect(machine.reclaim.evicted).toEqual(pages);
  });

  test("of nothing but zeroes is only marked (SFL-24, CNT-08)", () => {
    const machine = createReclaimMachine();
    const task = withRegion(machine, 1);
    touch(machine, task, 0, 1, "w");
    machine.batches.drain(task.cpu);
    const folio = folioAt(machine.memory, task.mm!, 0);
    machine.paging.folioReclaim.referenced.check(task.cpu, folio, null);
    expect(machine.shrink(folio)).toBe(1);
    expect(counts(machine, NR_VMSCAN_WRITE, PSWPOUT, SWPOUT_ZERO)).toEqual([1, 0, 1]);
  });

  test("that is still mapped nowhere leaves swap again, dirty (SFL-24)", () => {
    const machine = written(0, 1);
    const { memory, paging, task0, pages } = machine;
    machine.isolate(pages[0]!);
    paging.munmap(task0, BASE, 1);
    expect(memory.reclaimer!.shrinkFolioList(machine.sc, machine.list, false)).toBe(0);
    expect(machine.listed()).toEqual(pages);
    expect(flagsOf(machine, pages[0]!, PG_DIRTY | PG_SWAPCACHE | PG_RECLAIM)).toBe(PG_DIRTY);
    memory.putback.moveToLru(machine.sc.task, machine.list);
    expect(machine.memcg.charged).toBe(0);
  });

  test("in 2 MiB goes out whole (CNT-03, CNT-04)", () => {
    const machine = written(9, 512);
    expect(machine.shrink(machine.pages[0]!)).toBe(512);
    expect(counts(machine, NR_VMSCAN_WRITE, PSWPOUT, THP_SWPOUT, THP_SPLIT_PAGE)).toEqual([
      512, 512, 1, 0,
    ]);
  });

  test("without enough slots in a row is split, page by page out (SFL-12)", () => {
    const machine = written(9, 512, 65);
    const { memory, task0, pages, sc } = machine;
    expect(machine.shrink(pages[0]!)).toBe(64);
    expect(counts(machine, THP_SPLIT_PAGE, THP_SWPOUT, THP_SWPOUT_FALLBACK)).toEqual([1, 0, 1]);
    // The first page goes first, then the rest from its end.
    expect(pteString(memory, task0.mm!, 512)).toBe("s1O448s63");
    expect(sc.nrScanned).toBe(512);
    expect(machine.listed().length).toBe(448);
    expect(flagsOf(machine, pages[0]! + 1, PG_ACTIVE)).toBe(PG_ACTIVE);
  });

  test("without any swap becomes active (SFL-12)", () => {
    const machine = written(0, 1, 0);
    const [folio] = machine.pages as [number];
    expect(machine.shrink(folio)).toBe(0);
    expect(flagsOf(machine, folio, PG_ACTIVE)).toBe(PG_ACTIVE);
    expect([machine.listed(), counts(machine, PGACTIVATE)]).toEqual([[folio], [1]]);
    expect(machine.memcg.vmstat.values[PGACTIVATE]).toBe(1);
  });

  test("partially mapped is split first: nothing of it is written that nobody wants (SFL-12)", () => {
    const machine = written(2, 4);
    const { memory, paging, task0, pages } = machine;
    paging.madvise(task0, BASE + 1, 2, "dontneed");
    expect(machine.shrink(pages[0]!)).toBe(2);
    expect(pteString(memory, task0.mm!, 4)).toBe("s1.2s1");
    memory.putback.moveToLru(machine.sc.task, machine.list);
    expect(machine.memcg.charged).toBe(0);
  });

  test("large, with a reference too many, becomes active without slots (SFL-12)", () => {
    const machine = written(2, 4);
    const [folio] = machine.pages as [number];
    machine.memory.folios.refcount[folio]! += 1;
    machine.shrink(folio);
    expect(flagsOf(machine, folio, PG_ACTIVE | PG_SWAPCACHE)).toBe(PG_ACTIVE);
  });

  test("small, with a reference too many, stays in the swap cache (SFL-16)", () => {
    const machine = written(0, 1);
    const [folio] = machine.pages as [number];
    machine.memory.folios.refcount[folio]! += 1;
    expect(machine.shrink(folio)).toBe(0);
    expect(flagsOf(machine, folio, PG_ACTIVE | PG_SWAPCACHE | PG_DIRTY)).toBe(
      PG_SWAPCACHE | PG_DIRTY,
    );
    expect(pteString(machine.memory, machine.task0.mm!, 1)).toBe("s1");
  });

  test("stays dirty in the swap cache when nothing may be written (SFL-15)", () => {
    const machine = written(0, 1);
    const [folio] = machine.pages as [number];
    machine.sc.mayWritepage = false;
    expect(machine.shrink(folio)).toBe(0);
    expect(flagsOf(machine, folio, PG_ACTIVE | PG_DIRTY)).toBe(PG_DIRTY);
  });

  test.each([
    ["first", 0, "O4"],
    ["last", 2, "s2O2"],
  ])(
    "is kept by its %s pages if they are locked, and is active then (SFL-13, RMAP-01)",
    (_which, at, ptes) => {
      const machine = written(2, 4);
      const { memory, paging, task0, pages } = machine;
      paging.mlock(task0, BASE + at, 2);
      paging.folioReclaim.referenced.check(task0.cpu, pages[0]!, null);
      for (const vma of task0.mm!.vmas) vma.anonVma!.vmas.reverse();
      for (const slot of [0, 1, 2, 3])
        memory.pageTables.entries[memory.pageTables.pteSlot(task0.mm!.pgd, BASE + slot)]! &=
          ~ENTRY_ACCESSED;
      expect(machine.shrink(pages[0]!)).toBe(0);
      expect(flagsOf(machine, pages[0]!, PG_ACTIVE | PG_MLOCKED | PG_SWAPCACHE | PG_DIRTY)).toBe(
        PG_ACTIVE | PG_SWAPCACHE | PG_DIRTY,
      );
      expect(counts(machine, PSWPOUT, PGACTIVATE)).toEqual([0, 4]);
      expect(pteString(memory, task0.mm!, 4)).toBe(ptes);
    },
  );
});

describe("references", () => {
  test.each([
    ["keep", 0],
    ["activate", PG_ACTIVE],
  ] as const)("%s a folio as the policy says (SFL-10)", (verdict, active) => {
    const machine = written(0, 1);
    const [folio] = machine.pages as [number];
    machine.reclaim.onReferenced = verdict;
    touch(machine, machine.task0, 0, 1, "r");
    expect(machine.shrink(folio)).toBe(0);
    expect(flagsOf(machine, folio, PG_ACTIVE)).toBe(active);
    expect(counts(machine, PGACTIVATE)).toEqual([active === 0 ? 0 : 1]);
  });

  test("are not asked about when they are to be ignored (SFL-10)", () => {
    const machine = written(0, 1);
    touch(machine, machine.task0, 0, 1, "r");
    machine.isolate(...machine.pages);
    expect(machine.memory.reclaimer!.shrinkFolioList(machine.sc, machine.list, true)).toBe(1);
    expect(machine.reclaim.looks).toEqual([]);
  });
});

describe("pages of a file", () => {
  test("that are clean are freed and leave a shadow (SFL-20, RFT-04)", () => {
    const machine = createReclaimMachine();
    const { file, folio } = cached(machine, 2, 4);
    expect(machine.shrink(folio)).toBe(4);
    expect([
      machine.memory.pageCache.lookup(file, 1),
      machine.memory.pageCache.shadow(file, 1),
    ]).toEqual([NIL, SHADOW]);
    expect([file.cachedPages, machine.memcg.charged]).toEqual([0, 0]);
  });

  test("that are dirty become active and are to be reclaimed after writeback (SFL-06, SFL-14)", () => {
    const machine = createReclaimMachine();
    const { file, folio } = cached(machine, 2, 4);
    const task = machine.task();
    machine.paging.mmapFile(task.mm!, BASE, 4, SHARED, machine.paging.openFile(file), 0);
    touch(machine, task, 0, 1, "w");
    machine.batches.drainAll();
    machine.paging.folioReclaim.referenced.check(task.cpu, folio, null);
    expect(machine.shrink(folio)).toBe(0);
    expect(flagsOf(machine, folio, PG_ACTIVE | PG_RECLAIM | PG_DIRTY)).toBe(
      PG_ACTIVE | PG_RECLAIM | PG_DIRTY,
    );
    expect(counts(machine, NR_VMSCAN_IMMEDIATE, NR_VMSCAN_WRITE)).toEqual([4, 0]);
    expect(machine.sc.nr).toMatchObject({ dirty: 4, unqueuedDirty: 4, congested: 0, writeback: 0 });
    expect(pteString(machine.memory, task.mm!, 4)).toBe(".4");
  });

  test("under writeback become active, marked to be reclaimed after it (SFL-06, SFL-08)", () => {
    const machine = createReclaimMachine();
    const { folio } = cached(machine, 0, 1);
    machine.memory.folios.flags[folio]! |= PG_WRITEBACK;
    machine.shrink(folio);
    machine.memory.lists.del(folio);
    machine.memory.lists.add(machine.list, folio);
    machine.memory.reclaimer!.shrinkFolioList(machine.sc, machine.list, false);
    expect(flagsOf(machine, folio, PG_ACTIVE | PG_RECLAIM)).toBe(PG_ACTIVE | PG_RECLAIM);
    // Met for the second time, it is congested.
    expect(machine.sc.nr).toMatchObject({ dirty: 2, unqueuedDirty: 0, congested: 1, writeback: 2 });
  });

  test("that somebody holds are kept (SFL-20)", () => {
    const machine = createReclaimMachine();
    const { file, folio } = cached(machine, 0, 1);
    machine.memory.folios.refcount[folio]! += 1;
    expect(machine.shrink(folio)).toBe(0);
    expect([machine.listed(), machine.memory.pageCache.lookup(file, 0)]).toEqual([[folio], folio]);
    expect(flagsOf(machine, folio, PG_ACTIVE)).toBe(0);
  });
});

describe("shared memory", () => {
  test("goes to swap from the page cache, and comes back (PGC-03, SFL-16)", () => {
    const machine = shared(64);
    expect(machine.shrink(...machine.pages)).toBe(1);
    expect(counts(machine, NR_VMSCAN_WRITE, PSWPOUT)).toEqual([1, 1]);
    expect(pteString(machine.memory, machine.task0.mm!, 1)).toBe(".1");
    touch(machine, machine.task0, 0, 1, "r");
    expect(machine.memory.folios.contents[folioAt(machine.memory, machine.task0.mm!, 0)]).toBe(1);
  });

  test("without swap becomes active and stays dirty (SFL-16)", () => {
    const machine = shared(0);
    expect(machine.shrink(...machine.pages)).toBe(0);
    expect(flagsOf(machine, machine.pages[0]!, PG_ACTIVE | PG_DIRTY | PG_RECLAIM)).toBe(
      PG_ACTIVE | PG_DIRTY,
    );
  });
});

describe("lazily freed memory", () => {
  test("is freed without a shadow (SFL-19, CNT-11)", () => {
    const machine = lazy();
    expect(machine.shrink(...machine.pages)).toBe(1);
    expect([counts(machine, PGLAZYFREED, PSWPOUT), machine.reclaim.evicted]).toEqual([[1, 0], []]);
    expect(pteString(machine.memory, machine.task0.mm!, 1)).toBe(".1");
  });

  test("that was written to is ordinary memory again, and active (TTU-07, SFL-13)", () => {
    const machine = lazy();
    touch(machine, machine.task0, 0, 1, "w");
    machine.paging.folioReclaim.referenced.check(machine.task0.cpu, machine.pages[0]!, null);
    expect(machine.shrink(...machine.pages)).toBe(0);
    expect(flagsOf(machine, machine.pages[0]!, PG_ACTIVE | PG_SWAPBACKED)).toBe(
      PG_ACTIVE | PG_SWAPBACKED,
    );
  });
});

test("an mlocked folio is left as it is, without its slots (SFL-04)", () => {
  const machine = written(0, 1);
  const [folio] = machine.pages as [number];
  machine.paging.swap.cache.allocSwap(folio);
  machine.isolate(folio);
  machine.memory.folios.flags[folio]! |= PG_MLOCKED;
  machine.memory.reclaimer!.shrinkFolioList(machine.sc, machine.list, false);
  expect(flagsOf(machine, folio, PG_ACTIVE | PG_SWAPCACHE | PG_DIRTY)).toBe(PG_DIRTY);
  expect([machine.listed(), counts(machine, PGACTIVATE)]).toEqual([[folio], [0]]);
});

test("mapped folios are kept where unmapping is not allowed (SFL-05)", () => {
  const machine = written(0, 1);
  machine.sc.mayUnmap = false;
  expect(machine.shrink(...machine.pages)).toBe(0);
  expect(machine.listed()).toEqual(machine.pages);
  expect(pteString(machine.memory, machine.task0.mm!, 1)).toBe("O1");
});

test("survivors stay in the order in which they were processed (EVT-61)", () => {
  const machine = written(0, 5);
  const { pages, task0 } = machine;
  for (const page of [0, 2, 4]) touch(machine, task0, page, 1, "r");
  expect(machine.shrink(...pages)).toBe(2);
  expect(machine.listed()).toEqual([pages[0], pages[2], pages[4]]);
  machine.memory.putback.moveToLru(machine.sc.task, machine.list);
  expect([...machine.memory.lists.walk(machine.memcg.lruvecs[0]!.listHead)]).toEqual([
    pages[4],
    pages[2],
    pages[0],
  ]);
  expect(flagsOf(machine, pages[0]!, PG_LRU)).toBe(PG_LRU);
});

test("a folio that a fork shares is unmapped from both (TTU-06)", () => {
  const machine = written(0, 1);
  const child = forkTask(machine, machine.task0);
  expect(machine.shrink(...machine.pages)).toBe(1);
  expect([
    pteString(machine.memory, machine.task0.mm!, 1),
    pteString(machine.memory, child.mm!, 1),
  ]).toEqual(["s1", "s1"]);
});
