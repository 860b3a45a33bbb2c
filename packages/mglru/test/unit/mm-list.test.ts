import { type Mm, singleNode } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import {
  iterateMmList,
  iterateMmListNowalk,
  LruGenMmWalk,
  testBloomFilter,
  updateBloomFilter,
} from "../../src/index.ts";
import { Machine } from "../machine.ts";

const NOT_FORCED = false;

function walker(m: Machine, seq: number, force = NOT_FORCED): LruGenMmWalk {
  const walk = new LruGenMmWalk();
  walk.begin(m.lruvec, seq, 60, force);
  return walk;
}

/** Address spaces in the order one walker gets them, up to the end. */
function iterate(walk: LruGenMmWalk): { mms: Mm[]; last: boolean; forced: boolean[] } {
  const mms: Mm[] = [];
  const forced: boolean[] = [];
  for (let walked = false; ; walked = true) {
    const { mm, last } = iterateMmList(walk, walked);
    if (mm === null) return { mms, last, forced };
    mms.push(mm);
    forced.push(walk.forceScan);
  }
}

/** A machine whose address spaces have all been covered by one iteration; max_seq is now 4. */
function covered(count: number): { m: Machine; mms: Mm[] } {
  const m = new Machine();
  const mms = Array.from({ length: count }, () => m.mm());
  iterate(walker(m, 3));
  return { m, mms };
}

describe("the list of a memcg", () => {
  test("keeps address spaces in the order they joined (MM-01, CSW-30)", () => {
    const m = new Machine();
    const [a, b] = [m.mm(), m.mm()];
    const elsewhere = m.mm(m.memory.root);
    expect([...m.memcg.mmList.walk()]).toEqual([a, b]);
    expect([...m.memory.root.mmList.walk()]).toEqual([elsewhere]);
    expect([a.listedIn, elsewhere.listedIn]).toEqual([m.memcg, m.memory.root]);
  });

  test("an address space that moves joins the other list at its tail (MM-04, CSW-32)", () => {
    const m = new Machine();
    const [a, b, c] = [m.mm(), m.mm(), m.mm(m.memory.root)];
    m.policy.mmMigrate(a, m.memory.root);
    expect([[...m.memcg.mmList.walk()], [...m.memory.root.mmList.walk()]]).toEqual([[b], [c, a]]);
  });

  test("moving to the same memcg, or without being listed, does nothing (MM-04)", () => {
    const m = new Machine();
    const [a, b] = [m.mm(), m.mm()];
    const unlisted = m.memory.createMm(m.memcg);
    m.policy.mmMigrate(a, m.memcg);
    m.policy.mmMigrate(unlisted, m.memory.root);
    expect([[...m.memcg.mmList.walk()], [...m.memory.root.mmList.walk()]]).toEqual([[a, b], []]);
  });

  test("taking one off twice is taking it off once (MM-03, CSW-31)", () => {
    const m = new Machine();
    const [a, b] = [m.mm(), m.mm()];
    m.policy.mmDel(a);
    m.policy.mmDel(a);
    expect([[...m.memcg.mmList.walk()], a.listedIn]).toEqual([[b], null]);
  });

  test("an iteration that stands at the deleted one goes on behind it (MM-03)", () => {
    const { m, mms } = covered(3);
    const walk = walker(m, 4, true);
    expect(iterateMmList(walk, false).mm).toBe(mms[0]);
    expect(iterateMmList(walk, true).mm).toBe(mms[1]);
    m.policy.mmDel(mms[1]!);
    expect(iterateMmList(walk, true).mm).toBe(mms[2]);
  });

  test("when the first new one is deleted, the next is the first new one (MM-03)", () => {
    const { m, mms } = covered(1);
    const [b, c] = [m.mm(), m.mm()];
    m.policy.mmDel(b);
    expect(m.lruvec.mmState.tail).toBe(c.lruGen);
    m.policy.mmDel(c);
    expect(m.lruvec.mmState.tail).toBe(m.memcg.mmList.anchor);
    m.policy.useMm(mms[0]!);
    expect(iterate(walker(m, 4)).forced).toEqual([false]);
  });
});

describe("who is walked", () => {
  test("the first iteration takes everybody, by force, used or not (ITER-04)", () => {
    const m = new Machine();
    const mms = [m.mm(), m.mm(), m.mm()];
    expect(iterate(walker(m, 3))).toEqual({ mms, last: true, forced: [true, true, true] });
  });

  test("later ones take who ran since, in list order, and not by force (ITER-01, CSW-20)", () => {
    const { m, mms } = covered(4);
    m.policy.useMm(mms[3]!);
    m.policy.useMm(mms[1]!);
    const found = iterate(walker(m, 4));
    expect(found).toEqual({ mms: [mms[1], mms[3]], last: true, forced: [false, false] });
  });

  test("force_scan takes everybody (CSW-21, MINV-33)", () => {
    const { m, mms } = covered(3);
    expect(iterate(walker(m, 4, true)).mms).toEqual(mms);
  });

  test("a new one is walked by force, and with it all behind it, but none before (AGE-03, ITER-04)", () => {
    const { m, mms } = covered(2);
    const [c, d] = [m.mm(), m.mm()];
    m.policy.useMm(mms[0]!);
    const found = iterate(walker(m, 4));
    expect(found).toEqual({ mms: [mms[0], c, d], last: true, forced: [false, true, true] });
    expect(iterate(walker(m, 5)).mms).toEqual([]);
  });

  test("the bit is taken before the walk: running meanwhile counts for the next time (CSW-20)", () => {
    const { m, mms } = covered(1);
    m.policy.useMm(mms[0]!);
    const walk = walker(m, 4);
    expect(iterateMmList(walk, false).mm).toBe(mms[0]);
    m.policy.useMm(mms[0]!);
    expect(iterateMmList(walk, true)).toEqual({ mm: null, last: true });
    expect(iterate(walker(m, 5)).mms).toEqual(mms);
  });

  test("without another context switch the bit stays clear (CSW-12)", () => {
    const { m, mms } = covered(1);
    m.policy.useMm(mms[0]!);
    expect(iterate(walker(m, 4)).mms).toEqual(mms);
    expect(iterate(walker(m, 5)).mms).toEqual([]);
  });

  test("each node has its own bit, all of which a context switch sets (MM-05, MM-06, CSW-02, CSW-10)", () => {
    const m = new Machine({ nodes: [...singleNode(1024), ...singleNode(1024)] });
    const mm = m.mm();
    expect(mm.lruGenBitmap).toBe(0);
    m.policy.useMm(mm);
    iterate(walker(m, 3));
    expect(mm.lruGenBitmap).toBe(~1);
    const other = new LruGenMmWalk();
    other.begin(m.memcg.lruvecs[1]!, 3, 60, NOT_FORCED);
    expect(iterate(other).mms).toEqual([mm]);
    expect(mm.lruGenBitmap).toBe(~3);
  });

  test("an address space without memory is walked like any other (ITER-02)", () => {
    const { m, mms } = covered(1);
    m.policy.useMm(mms[0]!);
    expect(mms[0]!.vmas).toEqual([]);
    expect(iterate(walker(m, 4)).mms).toEqual(mms);
  });
});

describe("an iteration", () => {
  test("is shared by its walkers; the one that finds the end is last (ITER-03, CSW-22)", () => {
    const { m, mms } = covered(3);
    const [one, two] = [walker(m, 4, true), walker(m, 4, true)];
    expect(iterateMmList(one, false).mm).toBe(mms[0]);
    expect(iterateMmList(two, false).mm).toBe(mms[1]);
    expect(iterateMmList(two, true).mm).toBe(mms[2]);
    expect(iterateMmList(one, true)).toEqual({ mm: null, last: true });
    expect(iterateMmList(two, true)).toEqual({ mm: null, last: false });
    expect(m.lruvec.mmState.seq).toBe(4);
  });

  test("keeps its place between walkers that come one after the other (ITER-03)", () => {
    const { m, mms } = covered(2);
    expect(iterateMmList(walker(m, 4, true), false).mm).toBe(mms[0]);
    expect(iterateMmList(walker(m, 4, true), false).mm).toBe(mms[1]);
    expect(iterateMmList(walker(m, 4, true), false)).toEqual({ mm: null, last: true });
    expect(m.lruvec.mmState.head).toBe(m.memcg.mmList.anchor);
  });

  test("that is finished gives a late walker nothing (CSW-22)", () => {
    const { m } = covered(2);
    expect(iterateMmList(walker(m, 3, true), false)).toEqual({ mm: null, last: false });
    expect(m.lruvec.mmState.seq).toBe(3);
  });

  test("over an empty list is finished at once", () => {
    const m = new Machine();
    expect(iterateMmList(walker(m, 3), false)).toEqual({ mm: null, last: true });
    expect(m.lruvec.mmState.seq).toBe(3);
  });

  test("empties the next Bloom filter when it takes its first address space (ITER-01, BLOOM-05)", () => {
    const { m } = covered(2);
    const { mmState } = m.lruvec;
    updateBloomFilter(mmState, 4, 4711);
    mmState.filters[1] = new Int32Array(1024).fill(-1);
    const walk = walker(m, 4, true);
    iterateMmList(walk, false);
    expect([4, 5].map((seq) => testBloomFilter(mmState, seq, 4711))).toEqual([true, false]);
    updateBloomFilter(mmState, 5, 4711);
    iterateMmList(walk, true);
    expect(testBloomFilter(mmState, 5, 4711)).toBe(true);
  });

  test("that finds nobody does not empty it (ITER-05)", () => {
    const { m } = covered(2);
    m.lruvec.mmState.filters[1] = new Int32Array(1024).fill(-1);
    expect(iterate(walker(m, 4)).mms).toEqual([]);
    expect(testBloomFilter(m.lruvec.mmState, 5, 4711)).toBe(true);
  });
});

describe("an aging without a walk (ITER-08, CSW-23)", () => {
  test("finishes the iteration, once", () => {
    const { m } = covered(1);
    const { mmState } = m.lruvec;
    expect([iterateMmListNowalk(mmState, 4), mmState.seq]).toEqual([true, 4]);
    expect([iterateMmListNowalk(mmState, 4), mmState.seq]).toEqual([false, 4]);
    expect([mmState.head, mmState.tail]).toEqual([null, null]);
  });

  test("makes the next walk a forced one", () => {
    const { m, mms } = covered(2);
    iterateMmListNowalk(m.lruvec.mmState, 4);
    expect(iterate(walker(m, 5))).toEqual({ mms, last: true, forced: [true, true] });
  });
});

describe("walk statistics (STAT-01)", () => {
  test("reach the lruvec when a walker moves on or ends, and add up for ever", () => {
    const { m, mms } = covered(2);
    const walk = walker(m, 4, true);
    iterateMmList(walk, false);
    walk.mmStats.set([512, 8, 1, 1]);
    expect(m.stats).toEqual([0, 0, 0, 0]);
    iterateMmList(walk, true);
    expect([m.stats, [...walk.mmStats]]).toEqual([
      [512, 8, 1, 1],
      [0, 0, 0, 0],
    ]);
    walk.mmStats.set([3, 2, 1, 0]);
    iterateMmList(walk, true);
    expect(m.stats).toEqual([515, 10, 2, 1]);
    for (const mm of mms) m.policy.useMm(mm);
    iterate(walker(m, 5));
    expect(m.stats).toEqual([515, 10, 2, 1]);
  });

  test("of a walker that comes back to a finished iteration count as well", () => {
    const { m } = covered(1);
    const walk = walker(m, 4, true);
    iterateMmList(walk, false);
    iterate(walker(m, 4, true));
    walk.mmStats.set([7, 0, 0, 0]);
    expect(iterateMmList(walk, true)).toEqual({ mm: null, last: false });
    expect(m.stats).toEqual([7, 0, 0, 0]);
  });
});
