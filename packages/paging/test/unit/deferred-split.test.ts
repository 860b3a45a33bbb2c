import { PG_SWAPCACHE } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { folioAt } from "../describe-mm.ts";
import { BASE, withRegion } from "../machine.ts";
import { createReclaimMachine, type ReclaimMachine } from "../reclaim-machine.ts";

interface Queued extends ReclaimMachine {
  readonly task0: ReturnType<ReclaimMachine["task"]>;
  readonly folios: number[];
}

/** Four folios of 16 kB, written to. */
function queued(): Queued {
  const machine = createReclaimMachine();
  machine.paging.thp.setSize(2, "always");
  const task0 = withRegion(machine, 16);
  machine.store(task0, 0, 16);
  const folios = [0, 4, 8, 12].map((page) => folioAt(machine.memory, task0.mm!, page));
  return { ...machine, task0, folios };
}

function length({ memory, memcg }: ReclaimMachine): number {
  return memory.deferredSplit.length(memcg.index, 0);
}

describe("a folio is queued (FOL-13, INV-32)", () => {
  test("when it loses the last mapping of a part, once", () => {
    const machine = queued();
    const { memory, paging, task0, folios } = machine;
    expect(length(machine)).toBe(0);
    paging.madvise(task0, BASE + 5, 1, "dontneed");
    paging.madvise(task0, BASE + 6, 1, "dontneed");
    expect(length(machine)).toBe(1);
    expect(memory.deferredSplit.first(machine.memcg.index, 0)).toBe(folios[1]);
    expect(memory.deferredSplit.isPartiallyMapped(folios[1]!)).toBe(true);
  });

  test("not in the swap cache", () => {
    const machine = queued();
    const { memory, paging, task0, folios } = machine;
    paging.swap.cache.allocSwap(folios[0]!);
    paging.madvise(task0, BASE, 1, "dontneed");
    expect((memory.folios.flags[folios[0]!] as number) & PG_SWAPCACHE).toBe(PG_SWAPCACHE);
    expect(length(machine)).toBe(0);
  });

  test("when a fault maps it by a PMD, though all of it is mapped", () => {
    const machine = createReclaimMachine();
    machine.paging.thp.setSize(9, "always");
    const task = withRegion(machine, 512);
    machine.store(task, 0, 1);
    expect(length(machine)).toBe(1);
    machine.paging.munmap(task, BASE, 512);
    machine.batches.drainAll();
    expect(length(machine)).toBe(0);
  });
});

describe("the shrinker (SPLIT-06)", () => {
  test("splits what is partially mapped, oldest first, so that the rest is freed", () => {
    const machine = queued();
    const { memory, paging, task0, memcg, folios, sc } = machine;
    for (const page of [13, 1, 9]) paging.madvise(task0, BASE + page, 2, "dontneed");
    const shrinker = paging.folioReclaim.deferredSplit;
    expect(shrinker.count(memcg, 0)).toBe(3);
    expect(shrinker.scan(sc.task.cpu, memcg, 0, 2)).toBe(2);
    expect(folios.map((folio) => memory.folios.isLarge(folio))).toEqual([false, true, true, false]);
    expect([memcg.charged, length(machine)]).toEqual([12, 1]);
  });

  test("puts back what it cannot split, and says stop when there is nothing", () => {
    const machine = queued();
    const { memory, paging, task0, memcg, folios, sc } = machine;
    const shrinker = paging.folioReclaim.deferredSplit;
    expect(shrinker.scan(sc.task.cpu, memcg, 0, 8)).toBe(-1);
    paging.madvise(task0, BASE, 2, "dontneed");
    memory.folios.refcount[folios[0]!]! += 1;
    expect(shrinker.scan(sc.task.cpu, memcg, 0, 8)).toBe(0);
    expect([length(machine), memory.folios.refcount[folios[0]!]]).toEqual([1, 3]);
    expect(memory.deferredSplit.isPartiallyMapped(folios[0]!)).toBe(true);
  });

  test("forgets a folio that a fault queued: with max_ptes_none 511 none is underused", () => {
    const machine = createReclaimMachine();
    machine.paging.thp.setSize(9, "always");
    const task = withRegion(machine, 512);
    machine.store(task, 0, 1);
    expect(machine.paging.folioReclaim.deferredSplit.scan(task.cpu, machine.memcg, 0, 8)).toBe(0);
    expect(length(machine)).toBe(0);
  });

  test("runs as often as the priority of the reclaim says", () => {
    const machine = queued();
    const { memory, paging, task0, memcg, sc } = machine;
    for (const page of [0, 4, 8, 12]) paging.madvise(task0, BASE + page, 2, "dontneed");
    sc.priority = 12;
    memory.reclaimer!.shrinkSlab(sc, 0, memcg);
    expect(length(machine)).toBe(4);
    sc.priority = 1;
    memory.reclaimer!.shrinkSlab(sc, 0, memcg);
    expect([length(machine), memcg.charged]).toEqual([0, 8]);
  });
});
