import { type MmuNotifier, PG_IDLE, PG_YOUNG, VM_LOCKED, VM_READ, VM_WRITE } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { folioAt, pmdString, pteString } from "../describe-mm.ts";
import { BASE, forkTask, touch, withRegion } from "../machine.ts";
import { createReclaimMachine, type ReclaimMachine } from "../reclaim-machine.ts";

/** Young nowhere, but it writes down what it is asked. */
function listener(calls: string[], young = false): MmuNotifier {
  return {
    invalidateStart: (start, end) => calls.push(`start ${start - BASE} ${end - BASE}`),
    invalidateEnd: () => calls.push("end"),
    clearFlushYoung: (start, end) => {
      calls.push(`young ${start - BASE} ${end - BASE}`);
      return young;
    },
    clearYoung: () => false,
    testYoung: () => false,
    release: () => {},
  };
}

/** A region of one order, written to; its folios are on the LRU. */
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

describe("without look-around", () => {
  test("a large folio counts once a VMA, whatever PTEs are young, and is old afterwards (RMAP-05, RMAP-11)", () => {
    const machine = written(4, 16);
    const { memory, paging, task0 } = machine;
    memory.lru.coreEnabled = false;
    const folio = folioAt(memory, task0.mm!, 0);
    const { referenced } = paging.folioReclaim;
    const child = forkTask(machine, task0);
    expect(referenced.check(task0.cpu, folio, null)).toBe(1);
    touch(machine, child, 3, 5, "r");
    touch(machine, task0, 9, 1, "r");
    expect(referenced.check(task0.cpu, folio, null)).toBe(2);
    expect(referenced.vmaFlags).toBe(VM_READ | VM_WRITE);
    expect([pteString(memory, task0.mm!, 16), pteString(memory, child.mm!, 16)]).toEqual([
      "o16",
      "o16",
    ]);
    expect(referenced.check(task0.cpu, folio, null)).toBe(0);
    expect(referenced.vmaFlags).toBe(0);
    expect(machine.reclaim.looks).toEqual([]);
  });

  test("the notifier is asked even when the host's entry was young, and counts (RMAP-10)", () => {
    const { memory, paging, task0 } = written(0, 1);
    memory.lru.coreEnabled = false;
    const calls: string[] = [];
    task0.mm!.notifiers.push(listener(calls, true));
    const folio = folioAt(memory, task0.mm!, 0);
    expect(paging.folioReclaim.referenced.check(task0.cpu, folio, null)).toBe(1);
    expect(paging.folioReclaim.referenced.check(task0.cpu, folio, null)).toBe(1);
    expect(calls).toEqual(["young 0 1", "young 0 1"]);
  });
});

test("with it, the policy looks at each run of PTEs of the folio (RMAP-07, RMAP-20)", () => {
  const { memory, paging, task0, reclaim } = written(4, 16);
  const folio = folioAt(memory, task0.mm!, 0);
  paging.madvise(task0, BASE + 4, 2, "dontneed");
  expect(paging.folioReclaim.referenced.check(task0.cpu, folio, null)).toBe(1);
  expect(reclaim.looks).toEqual([
    [folio, BASE, 4],
    [folio, BASE + 6, 10],
  ]);
});

test("a PMD leaf is tested by itself, by both LRUs (RMAP-07)", () => {
  const { memory, paging, task0, reclaim } = written(9, 512);
  const calls: string[] = [];
  task0.mm!.notifiers.push(listener(calls));
  const folio = folioAt(memory, task0.mm!, 0);
  expect(paging.folioReclaim.referenced.check(task0.cpu, folio, null)).toBe(1);
  expect(pmdString(memory, task0.mm!, 512)).toBe("h");
  expect([calls, reclaim.looks]).toEqual([["young 0 512"], []]);
});

test("VMAs without recency and address spaces outside the target do not count (RMAP-06)", () => {
  const machine = written(0, 1);
  const { memory, paging, task0 } = machine;
  const { referenced } = paging.folioReclaim;
  const folio = folioAt(memory, task0.mm!, 0);
  const other = memory.createMemcg(memory.root, 30, "other");
  expect(referenced.check(task0.cpu, folio, other)).toBe(0);
  expect(referenced.check(task0.cpu, folio, memory.root)).toBe(1);
  touch(machine, task0, 0, 1, "r");
  paging.madvise(task0, BASE, 1, "random");
  expect(referenced.check(task0.cpu, folio, null)).toBe(0);
  expect(pteString(memory, task0.mm!, 1)).toBe("Y1");
});

test("what idle tracking knows is used up by the first VMA (RMAP-09)", () => {
  const { memory, paging, task0 } = written(0, 1);
  const { referenced } = paging.folioReclaim;
  const folio = folioAt(memory, task0.mm!, 0);
  referenced.check(task0.cpu, folio, null);
  memory.folios.flags[folio]! |= PG_YOUNG | PG_IDLE;
  expect(referenced.check(task0.cpu, folio, null)).toBe(1);
  expect((memory.folios.flags[folio] as number) & (PG_YOUNG | PG_IDLE)).toBe(PG_IDLE);
  expect(referenced.check(task0.cpu, folio, null)).toBe(0);
});

test("an unmapped folio is not referenced, and forgets the last answer (RMAP-05)", () => {
  const machine = createReclaimMachine();
  const file = machine.cachedFile(0, 1);
  const { referenced } = machine.paging.folioReclaim;
  referenced.vmaFlags = 1;
  const folio = machine.memory.pageCache.lookup(file, 0);
  expect(referenced.check(machine.sc.task.cpu, folio, null)).toBe(0);
  expect(referenced.vmaFlags).toBe(0);
});

describe("a locked VMA (RMAP-08)", () => {
  test("mlocks a folio that it maps whole, and ends the walk", () => {
    const { memory, paging, task0, batches, reclaim } = written(2, 4);
    const folio = folioAt(memory, task0.mm!, 0);
    task0.mm!.vmas[0]!.flags |= VM_LOCKED;
    batches.take();
    expect(paging.folioReclaim.referenced.check(task0.cpu, folio, null)).toBe(0);
    expect(paging.folioReclaim.referenced.vmaFlags).toBe(VM_LOCKED);
    expect(batches.take()).toEqual([`mlock ${folio}`]);
    expect(reclaim.looks).toEqual([]);
  });

  test("says nothing of a folio of which it maps a part", () => {
    const { memory, paging, task0, batches } = written(2, 4);
    const folio = folioAt(memory, task0.mm!, 0);
    paging.madvise(task0, BASE, 1, "dontneed");
    task0.mm!.vmas[0]!.flags |= VM_LOCKED;
    batches.take();
    expect(paging.folioReclaim.referenced.check(task0.cpu, folio, null)).toBe(0);
    expect(paging.folioReclaim.referenced.vmaFlags).toBe(0);
    expect(batches.take()).toEqual([]);
  });
});
