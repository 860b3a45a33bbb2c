import {
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  PG_REFERENCED,
  PG_SWAPBACKED,
  singleNode,
} from "@lrugen/mm-core";
import { checkLruvecs } from "@lrugen/mm-core/check";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

const ANON = PG_SWAPBACKED;

/** inc_max_seq() alone, without a walk. */
function incMaxSeq(m: Machine, seq = m.lruvec.lrugen.maxSeq, swappiness = 60): boolean {
  const done = m.policy.aging.window.incMaxSeq(m.cpu, m.lruvec, seq, swappiness);
  if (done) m.lruvec.mmState.seq += 1;
  return done;
}

const seqs = (m: Machine): number[] => [m.lruvec.lrugen.maxSeq, ...m.lruvec.lrugen.minSeq];

const classic = (m: Machine): number[] =>
  [LRU_INACTIVE_ANON, LRU_ACTIVE_ANON, LRU_INACTIVE_FILE, LRU_ACTIVE_FILE].map((lru) =>
    m.lruvec.sizeOf(lru),
  );

describe("incMaxSeq", () => {
  test("opens one generation; types with four give up their oldest (AGE-20)", () => {
    const m = new Machine();
    expect([incMaxSeq(m), seqs(m)]).toEqual([true, [4, 1, 1]]);
    expect([incMaxSeq(m), seqs(m)]).toEqual([true, [5, 2, 2]]);
  });

  test("a type with room keeps its oldest (AGE-20)", () => {
    const m = new Machine();
    m.lruvec.lrugen.minSeq.set([0, 1]);
    incMaxSeq(m);
    expect(seqs(m)).toEqual([4, 1, 1]);
    m.lruvec.lrugen.minSeq.set([3, 2]);
    incMaxSeq(m);
    expect(seqs(m)).toEqual([5, 3, 2]);
  });

  test("a caller that saw an older max_seq was too slow; it need not lock (AGE-20)", () => {
    const m = new Machine();
    expect([incMaxSeq(m, 2), seqs(m), m.lruvec.lock.acquisitions]).toEqual([false, [3, 0, 0], 0]);
  });

  test("a caller that saw one that is yet to come changes nothing (AGE-20)", () => {
    const m = new Machine();
    expect([incMaxSeq(m, 4), seqs(m)]).toEqual([false, [3, 0, 0]]);
    expect([m.lruvec.lock.acquisitions, m.lruvec.lock.holder]).toEqual([1, -1]);
  });

  test("writes the birth of the new generation, in jiffies (AGE-20)", () => {
    const m = new Machine();
    m.memory.clock.sleep(100);
    incMaxSeq(m);
    m.memory.clock.sleep(20);
    incMaxSeq(m);
    expect([...m.lruvec.lrugen.timestamps]).toEqual([25, 30, 0, 0]);
  });

  test("what was second youngest turns inactive (AGE-20, SIZE-03, MINV-13)", () => {
    const m = new Machine();
    for (let seq = 0; seq < 4; seq++) {
      m.onList(seq, ANON, seq);
      m.onList(seq, 0, 3 - seq);
    }
    expect(classic(m)).toEqual([3, 12, 12, 3]);
    incMaxSeq(m);
    expect(classic(m)).toEqual([7, 8, 14, 1]);
    expect(checkLruvecs(m.memory, { quiescent: true })).toEqual([]);
  });

  test("what the new slot holds already turns active (AGE-11, AGE-21)", () => {
    const m = new Machine();
    const folio = m.onList(0, ANON, 2);
    incMaxSeq(m, 3, 0);
    expect([m.list(4), m.state(folio), seqs(m)]).toEqual([[folio], "gen 0", [4, 1, 1]]);
    expect(classic(m)).toEqual([0, 4, 0, 0]);
    expect(checkLruvecs(m.memory, { quiescent: true })).toEqual([]);
  });

  test("4,096 folios are one lock hold, and a full hold is followed by another (AGE-10, AGE-20)", () => {
    const holds = [4095, 4096, 8191].map((count) => {
      const m = new Machine({ nodes: singleNode(16_384) });
      for (let i = 0; i < count; i++) m.onList(0);
      incMaxSeq(m);
      expect([m.list(0), m.list(1).length]).toEqual([[], count]);
      return m.lruvec.lock.acquisitions;
    });
    expect(holds).toEqual([1, 2, 2]);
  });

  test("after a full hold it starts over with anon, which by then has room (AGE-20)", () => {
    const m = new Machine({ nodes: singleNode(16_384) });
    m.onList(0);
    for (let i = 0; i < 5000; i++) m.onList(0, 0);
    incMaxSeq(m);
    expect([seqs(m), m.lruvec.lock.acquisitions]).toEqual([[4, 1, 1], 2]);
    expect([m.list(1).length, m.list(1, 1).length]).toEqual([1, 5000]);
  });

  test("gives up when somebody else opens the generation between two holds (AGE-20)", () => {
    const m = new Machine({ nodes: singleNode(8192) });
    for (let i = 0; i < 5000; i++) m.onList(0);
    const { cpu } = m;
    const acquire = cpu.acquire.bind(cpu);
    cpu.acquire = (lock) => {
      acquire(lock);
      if (lock === m.lruvec.lock && lock.acquisitions === 2) m.lruvec.lrugen.maxSeq = 4;
    };
    expect([incMaxSeq(m, 3), seqs(m), m.lruvec.lock.holder]).toEqual([false, [4, 0, 0], -1]);
    expect([m.list(0).length, m.list(1).length]).toEqual([5000 - 4096, 4096]);
  });
});

/** Generations with a folio, by type; min_seq after. */
function after(
  maxSeq: number,
  minSeq: readonly [number, number],
  anon: readonly number[],
  file: readonly number[],
  swappiness: number,
): number[] {
  const m = new Machine();
  m.lruvec.lrugen.maxSeq = maxSeq;
  m.lruvec.lrugen.minSeq.set(minSeq);
  for (const seq of anon) m.onList(seq);
  for (const seq of file) m.onList(seq, 0);
  m.policy.aging.window.tryToIncMinSeq(m.lruvec, swappiness);
  return [...m.lruvec.lrugen.minSeq];
}

describe("tryToIncMinSeq", () => {
  test.each([
    ["stops at the first generation with folios (AGE-22)", [10, [7, 7], [8], [8], 60], [8, 8]],
    ["stays when the oldest has some", [10, [7, 7], [7, 9], [7], 60], [7, 7]],
    ["leaves two generations, empty or not", [10, [7, 7], [], [], 60], [9, 9]],
    ["advances one type alone", [10, [7, 7], [7], [8], 60], [7, 8]],
    ["swappiness 0: file alone (MAP-06)", [10, [7, 7], [], [9], 0], [7, 9]],
    ["swappiness 201: anon alone (MAP-06)", [10, [7, 7], [8], [], 201], [8, 7]],
    [
      "holds anon at three while file has four (AGE-24, MINV-11)",
      [10, [7, 7], [], [7], 60],
      [8, 7],
    ],
    ["holds file at three while anon has four (AGE-24, MINV-11)", [10, [7, 7], [7], [], 1], [7, 8]],
    ["but not while the other has three (AGE-22)", [10, [7, 8], [], [8], 60], [9, 8]],
    ["nor under swappiness 201 (AGE-22)", [10, [7, 7], [], [7], 201], [9, 7]],
    ["a type that has two already is not held back", [10, [9, 7], [9], [8], 60], [9, 8]],
  ] as const)("%s", (_name, [maxSeq, minSeq, anon, file, swappiness], expected) => {
    expect(after(maxSeq, minSeq, anon, file, swappiness)).toEqual(expected);
  });

  test("asks the lists: one with promoted folios alone still blocks (AGE-23)", () => {
    const m = new Machine();
    m.setGen(m.onList(0), 3);
    m.lruvec.lrugen.nrPages.fill(0);
    m.policy.aging.window.tryToIncMinSeq(m.lruvec, 60);
    expect([...m.lruvec.lrugen.minSeq]).toEqual([0, 1]);
  });

  test("looks into every zone (AGE-22)", () => {
    const m = new Machine();
    const folio = m.folio();
    m.memory.lists.add(m.head(1, 0, 4), folio);
    m.policy.aging.window.tryToIncMinSeq(m.lruvec, 201);
    expect([...m.lruvec.lrugen.minSeq]).toEqual([1, 0]);
  });

  test("a jump of two carries the history over once, and only if there is one (AGE-22, CTRL-02)", () => {
    const m = new Machine();
    const { lrugen } = m.lruvec;
    m.onList(2);
    m.onList(0, 0);
    lrugen.evicted.fill(8);
    m.policy.aging.window.tryToIncMinSeq(m.lruvec, 201);
    expect([[...lrugen.minSeq], lrugen.avgTotal[0], lrugen.avgTotal[4]]).toEqual([[2, 0], 4, 0]);
    expect([lrugen.evicted[0], lrugen.evicted[4]]).toEqual([0, 8]);
  });

  test("nothing advanced, nothing is held back or carried over (AGE-22)", () => {
    const m = new Machine();
    m.lruvec.lrugen.evicted.fill(8);
    m.onList(0, ANON | PG_REFERENCED);
    m.onList(0, 0);
    m.policy.aging.window.tryToIncMinSeq(m.lruvec, 60);
    expect([[...m.lruvec.lrugen.minSeq], m.lruvec.lrugen.avgTotal[0]]).toEqual([[0, 0], 0]);
  });
});
