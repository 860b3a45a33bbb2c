import { describe, expect, test } from "vitest";
import { type Lruvec, type Memory, PGACTIVATE, vmstatId } from "../../../src/index.ts";
import { MonotoneChecker } from "../../../src/check/index.ts";
import { listMachine } from "../../machine.ts";

interface Sampled {
  readonly memory: Memory;
  readonly lruvec: Lruvec;
  readonly checker: MonotoneChecker;
}

/** A machine at generation 9 of both types that was sampled once. */
function sampled(): Sampled {
  const { memory } = listMachine();
  const lruvec = memory.root.lruvecs[0]!;
  lruvec.lrugen.maxSeq = 9;
  lruvec.lrugen.minSeq.set([6, 7]);
  lruvec.mmState.seq = 8;
  memory.countEvents(PGACTIVATE, memory.root, 10);
  const checker = new MonotoneChecker();
  expect(checker.sample(memory, { quiescent: true })).toEqual([]);
  return { memory, lruvec, checker };
}

describe("sequence numbers (MINV-09, INV-29)", () => {
  test("may stand still and grow", () => {
    const { memory, lruvec, checker } = sampled();
    expect(checker.sample(memory)).toEqual([]);
    lruvec.lrugen.maxSeq = 11;
    lruvec.lrugen.minSeq.set([9, 10]);
    lruvec.mmState.seq = 10;
    expect(checker.sample(memory)).toEqual([]);
  });

  test.each([
    ["max_seq", 8, 9, ({ lrugen }: Lruvec) => void (lrugen.maxSeq = 8)],
    ["min_seq of anon", 5, 6, ({ lrugen }: Lruvec) => void (lrugen.minSeq[0] = 5)],
    ["min_seq of file", 6, 7, ({ lrugen }: Lruvec) => void (lrugen.minSeq[1] = 6)],
    ["mm_state.seq", 7, 8, ({ mmState }: Lruvec) => void (mmState.seq = 7)],
    ["max_seq", Number.NaN, 9, ({ lrugen }: Lruvec) => void (lrugen.maxSeq = Number.NaN)],
  ])("must not go back: %s to %s", (name, value, least, change) => {
    const { memory, lruvec, checker } = sampled();
    change(lruvec);
    expect(checker.sample(memory)).toContain(
      `MINV-09 (INV-29): memcg / node 0: ${name} is ${value}, expected at least ${least}`,
    );
  });

  test("are compared with the last sample, not with the highest", () => {
    const { memory, lruvec, checker } = sampled();
    lruvec.lrugen.minSeq[0] = 5;
    expect(checker.sample(memory)).toHaveLength(1);
    expect(checker.sample(memory)).toEqual([]);
  });

  test("of a memcg made meanwhile begin with its first sample", () => {
    const { memory, checker } = sampled();
    const memcg = memory.createMemcg(memory.root, 2, "a");
    expect(checker.sample(memory)).toEqual([]);
    memcg.lruvecs[0]!.lrugen.minSeq[1] = -1;
    expect(checker.sample(memory)).toEqual([
      "MINV-09 (INV-29): memcg /a node 0: min_seq of file is -1, expected at least 0",
    ]);
  });

  test("of the next memcg under the same index begin anew", () => {
    const { memory, checker } = sampled();
    const memcg = memory.createMemcg(memory.root, 2, "a");
    memcg.lruvecs[0]!.lrugen.maxSeq = 30;
    memcg.lruvecs[0]!.mmState.seq = 29;
    expect(checker.sample(memory)).toEqual([]);
    memory.memcgs[memcg.index] = null;
    memory.createMemcg(memory.root, 3, "b");
    expect(checker.sample(memory)).toEqual([]);
  });
});

describe("event counters (INV-29)", () => {
  test("may grow", () => {
    const { memory, checker } = sampled();
    memory.countEvents(PGACTIVATE, memory.root, 1);
    expect(checker.sample(memory)).toEqual([]);
  });

  test("must not go back, neither the machine's nor a memcg's", () => {
    const { memory, checker } = sampled();
    memory.countEvents(PGACTIVATE, memory.root, -1);
    expect(checker.sample(memory)).toEqual([
      "INV-29: vmstat: pgactivate is 9, expected at least 10",
      "INV-29: memcg /: pgactivate is 9, expected at least 10",
    ]);
  });

  test("do not include gauges (PGC-07)", () => {
    const { memory, checker } = sampled();
    memory.vmstat.add(vmstatId("workingset_nodes"), 5);
    checker.sample(memory);
    memory.vmstat.add(vmstatId("workingset_nodes"), -3);
    expect(checker.sample(memory)).toEqual([]);
  });
});

describe("the walk's sequence number (MINV-10)", () => {
  test("may reach max_seq while a generation is made, not when quiescent", () => {
    const { memory, lruvec, checker } = sampled();
    lruvec.mmState.seq = 9;
    expect(checker.sample(memory)).toEqual([]);
    expect(checker.sample(memory, { quiescent: true })).toEqual([
      "MINV-10: memcg / node 0: mm_state.seq is 9, expected 8",
    ]);
  });

  test.each([
    [9, 10],
    [10, 8],
  ])("must not be elsewhere: max_seq %i, mm_state.seq %i", (maxSeq, seq) => {
    const { memory, lruvec, checker } = sampled();
    lruvec.lrugen.maxSeq = maxSeq;
    lruvec.mmState.seq = seq;
    expect(checker.sample(memory)).toEqual([
      `MINV-10: memcg / node 0: mm_state.seq is ${seq}, expected ${maxSeq - 1} or ${maxSeq}`,
    ]);
  });
});

describe("births of generations (MINV-14)", () => {
  test("may be equal or later from one generation to the next", () => {
    const { memory, lruvec, checker } = sampled();
    lruvec.lrugen.timestamps.set([20, 30, 10, 20]); // generations 8, 9, 6, 7
    expect(checker.sample(memory)).toEqual([]);
  });

  test("must not be earlier than that of an older generation", () => {
    const { memory, lruvec, checker } = sampled();
    lruvec.lrugen.timestamps.set([20, 19, 10, 20]);
    expect(checker.sample(memory)).toEqual([
      "MINV-14: memcg / node 0: generation 9 was born at jiffy 19, expected 20 or later",
    ]);
  });

  test("do not matter for generations that are gone", () => {
    const { memory, lruvec, checker } = sampled();
    lruvec.lrugen.minSeq.set([8, 8]);
    lruvec.lrugen.timestamps.set([20, 30, 99, 99]);
    expect(checker.sample(memory)).toEqual([]);
  });

  test("matter as long as one type has the generation", () => {
    const { memory, lruvec, checker } = sampled();
    lruvec.lrugen.minSeq.set([7, 8]);
    lruvec.lrugen.timestamps.set([20, 30, 0, 21]);
    expect(checker.sample(memory)).toEqual([
      "MINV-14: memcg / node 0: generation 8 was born at jiffy 20, expected 21 or later",
    ]);
  });
});
