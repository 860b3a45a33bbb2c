import { PG_REFERENCED, PG_SWAPBACKED, singleNode } from "@lrugen/mm-core";
import { checkLists, checkLruvecs } from "@lrugen/mm-core/check";
import { describe, expect, test } from "vitest";
import { iterateMmList, LruGenMmWalk } from "../../src/index.ts";
import { FILE, Machine, PMD, REGION } from "../machine.ts";
import { mapPtes, ptes, touch } from "../mapping.ts";

const FAULTED = PG_SWAPBACKED | PG_REFERENCED;

/** A faulted, young order-0 folio at REGION, alone in its address space. */
function onePage(): { m: Machine; folio: number; touchIt: () => void; idle: () => boolean } {
  const m = new Machine();
  const mm = m.mm();
  const vma = m.vma(mm, REGION, PMD);
  const folio = m.add(m.folio(FAULTED));
  mapPtes(m.memory, vma, REGION, folio, "Y");
  return {
    m,
    folio,
    touchIt: () => touch(m.memory, mm, REGION),
    idle: () => ptes(m.memory, mm, REGION, 1) === "O",
  };
}

describe("the life of one page (EX-01)", () => {
  test("is promoted by the first walk that finds it young, and drifts while it is idle", () => {
    const { m, folio, touchIt, idle } = onePage();
    expect([m.state(folio), m.list(2)]).toEqual(["gen 2 R", [folio]]);
    m.age();
    expect([m.state(folio), m.list(2), idle()]).toEqual(["gen 3 W", [folio], true]);
    m.age();
    expect([m.lruvec.lrugen.maxSeq, m.state(folio)]).toEqual([5, "gen 3 W"]);
    touchIt();
    m.age();
    // Seq 5; the list of seq 2 was emptied, so it is linked where its flags said before: seq 5.
    expect([m.state(folio), m.list(5), m.lruvec.lrugen.maxSeq]).toEqual(["gen 1 W", [folio], 6]);
  });

  test("idle pages end in the oldest generation and move on with it (GT-01)", () => {
    const { m, folio } = onePage();
    for (let i = 0; i < 8; i++) m.age();
    const { maxSeq, minSeq } = m.lruvec.lrugen;
    expect([maxSeq, ...minSeq, m.list(minSeq[0]!)]).toEqual([11, 8, 8, [folio]]);
  });

  test("a file page that lost its reference in the oldest generation is never promoted", () => {
    const m = new Machine();
    const vma = m.vma(m.mm(), REGION, PMD, undefined, FILE);
    const folio = m.onList(0, 0);
    mapPtes(m.memory, vma, REGION, folio, "y");
    for (let i = 0; i < 4; i++) {
      m.age();
      // The walk marked it, and inc_min_seq() of the same aging took the mark away.
      expect(m.state(folio)).toBe(`gen ${(i + 1) % 4}`);
      touch(m.memory, vma.mm, REGION);
    }
  });
});

const age = (m: Machine, seq: number, walk: LruGenMmWalk | null = new LruGenMmWalk()): boolean =>
  m.policy.aging.tryToIncMaxSeq(m.cpu, m.lruvec, seq, 60, true, walk);

/** Has `meanwhile` happen when the walk has flushed its first address space. */
function whileWalking({ cpu }: Machine, meanwhile: () => void): void {
  const release = cpu.release.bind(cpu);
  cpu.release = (lock) => {
    cpu.release = release;
    release(lock);
    meanwhile();
  };
}

describe("tryToIncMaxSeq (AGE-01)", () => {
  test("says whether this very call opened the generation", () => {
    const m = new Machine();
    expect([age(m, 3), age(m, 3), age(m, 4), m.lruvec.lrugen.maxSeq]).toEqual([
      true,
      false,
      true,
      5,
    ]);
  });

  test("gives up at once when the iteration is finished already", () => {
    const { m } = onePage();
    m.lruvec.mmState.seq = 3;
    expect([age(m, 3), m.stats, m.lruvec.lrugen.maxSeq]).toEqual([false, [0, 0, 0, 0], 3]);
  });

  test("a walker that did not finish the list leaves max_seq to the one that does", () => {
    const { m } = onePage();
    m.mm();
    const other = new LruGenMmWalk();
    whileWalking(m, () => {
      other.begin(m.lruvec, 3, 60, true);
      while (!iterateMmList(other, false).last);
    });
    expect([age(m, 3), m.lruvec.mmState.seq, m.lruvec.lrugen.maxSeq]).toEqual([false, 3, 3]);
    expect(m.stats).toEqual([512, 1, 1, 0]);
  });

  test("nor does it raise max_seq again when the other one has", () => {
    const { m } = onePage();
    m.mm();
    let others: boolean | null = null;
    whileWalking(m, () => {
      others = age(m, 3);
    });
    expect([age(m, 3), others, m.lruvec.lrugen.maxSeq]).toEqual([false, true, 4]);
  });

  test.each([
    ["without the walk capability", true],
    ["without a walk structure", false],
  ])("%s pages just age, and the next walk is forced (ITER-08, GT-10)", (_name, hasWalk) => {
    const { m, folio, idle } = onePage();
    m.policy.caps.mmWalk = !hasWalk;
    expect(age(m, 3, hasWalk ? new LruGenMmWalk() : null)).toBe(true);
    expect([m.state(folio), idle(), m.stats]).toEqual(["gen 2 R", false, [0, 0, 0, 0]]);
    m.policy.caps.mmWalk = true;
    m.age("60 0");
    expect([m.state(folio), idle(), m.stats]).toEqual(["gen 0 W", true, [512, 1, 1, 0]]);
    touch(m.memory, [...m.memcg.mmList.walk()][0]!, REGION);
    m.age("60 0");
    expect(m.stats).toEqual([512, 1, 1, 0]);
  });

  test("the walk structure is free again afterwards", () => {
    const { m } = onePage();
    const walk = new LruGenMmWalk();
    age(m, 3, walk);
    expect([walk.lruvec, walk.batched, [...walk.mmStats]]).toEqual([null, 0, [0, 0, 0, 0]]);
    expect(walk.nrPages.every((pages) => pages === 0)).toBe(true);
  });

  test("force goes on to every later address space of the call, and ends with it (AGE-03)", () => {
    const m = new Machine();
    const mms = [m.mm(), m.mm(), m.mm()];
    for (const mm of mms) {
      const vma = m.vma(mm, REGION, PMD);
      mapPtes(m.memory, vma, REGION, m.add(m.folio(FAULTED)), "y");
    }
    m.age("60 0");
    expect(m.stats[0]).toBe(3 * 512);
    // The filter remembers nothing (1 of 512 young), so only force walks a table now.
    m.policy.mmDel(mms[1]!);
    m.policy.mmAdd(mms[1]!, m.memcg);
    for (const mm of mms) {
      touch(m.memory, mm, REGION);
      m.policy.useMm(mm);
    }
    m.age("60 0");
    expect(m.stats[0]).toBe(4 * 512);
    m.age("60 1");
    m.age("60 0");
    expect(m.stats[0]).toBe(7 * 512);
  });
});

describe("counts", () => {
  test("say what was promoted, moved and spliced since boot", () => {
    const m = new Machine({ features: ["headToTail", "spliceRuns"] });
    const vma = m.vma(m.mm(), REGION, PMD);
    for (let i = 0; i < 5; i++) m.onList(0);
    mapPtes(m.memory, vma, REGION, m.onList(0, FAULTED, 1), "yy");
    m.age();
    expect(m.policy.aging.counts).toEqual({ promoted: 1, moved: 6, splices: 1 });
    m.age();
    expect(m.policy.aging.counts).toEqual({ promoted: 1, moved: 11, splices: 2 });
  });
});

describe("lru_lock", () => {
  test("is taken once for a slice that promoted, and once to open the generation", () => {
    const { m } = onePage();
    m.age();
    expect(m.lruvec.lock.acquisitions).toBe(2);
    m.age();
    expect(m.lruvec.lock.acquisitions).toBe(3);
  });

  test("no other lruvec's is taken", () => {
    const m = new Machine({ nodes: [...singleNode(1024), ...singleNode(1024)] });
    m.age();
    const locks = [...m.memory.root.lruvecs, m.memcg.lruvecs[1]!].map(({ lock }) => lock);
    expect(locks.map(({ acquisitions }) => acquisitions)).toEqual([0, 0, 0]);
  });
});

test("after an aging that skipped anon, sizes and lists still agree (AGE-11, GT-02)", () => {
  const { m, folio } = onePage();
  for (let i = 0; i < 3; i++) m.age("0");
  expect([m.list(6), m.state(folio), m.stats]).toEqual([[folio], "gen 2 R", [0, 0, 0, 0]]);
  const problems = [...checkLists(m.memory), ...checkLruvecs(m.memory, { quiescent: true })];
  expect(problems).toEqual([]);
});
