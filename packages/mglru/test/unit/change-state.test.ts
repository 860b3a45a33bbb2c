import {
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_GEN_MASK,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  type Lruvec,
  PG_ACTIVE,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
  PG_WORKINGSET,
  singleNode,
} from "@lrugen/mm-core";
import { checkLists, checkLruvecs } from "@lrugen/mm-core/check";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

const ANON = PG_SWAPBACKED;

const off = (m: Machine): number => m.policy.sysfs.writeEnabled(m.cpu, "n");
const on = (m: Machine): number => m.policy.sysfs.writeEnabled(m.cpu, "y");

function classic(m: Machine, lru: number, lruvec: Lruvec = m.lruvec): number[] {
  return [...m.memory.lists.walk(lruvec.listHead + lru)];
}

function problems(m: Machine): string[] {
  return [...checkLists(m.memory), ...checkLruvecs(m.memory, { quiescent: true })];
}

describe("switching off", () => {
  test("takes lists by slot, from the tail, each folio to the head (SW-03, DEL-01)", () => {
    const m = new Machine();
    // max_seq 5: slot 0 is seq 4 and slot 1 is seq 5, the active ones; slots 2 and 3 are older.
    for (let i = 0; i < 2; i++) m.age();
    const [a, b] = [m.onList(4), m.onList(4)];
    const [c, d, e] = [m.onList(2), m.onList(3), m.onList(5)];
    off(m);
    expect(classic(m, LRU_ACTIVE_ANON)).toEqual([e, b, a]);
    expect(classic(m, LRU_INACTIVE_ANON)).toEqual([d, c]);
    expect([a, b, e].map((folio) => m.state(folio))).toEqual(Array(3).fill("gen -1 A"));
    expect(m.state(c)).toBe("gen -1");
  });

  test("leaves no folio with a generation, and all sizes right (MINV-35)", () => {
    const m = new Machine();
    for (let seq = 0; seq < 4; seq++) for (const flags of [0, ANON]) m.onList(seq, flags, seq);
    off(m);
    expect(problems(m)).toEqual([]);
    expect(m.memory.folios.flags.some((word) => word > 0 && (word & LRU_GEN_MASK) !== 0)).toBe(
      false,
    );
    expect([0, 1, 2, 3].map((lru) => m.lruvec.sizeOf(lru))).toEqual([3, 12, 3, 12]);
  });

  test("what an aging left in the wrong slot comes along, and is forgotten (AGE-11, SW-03)", () => {
    const m = new Machine();
    const folio = m.onList(1);
    m.lruvec.lrugen.minSeq[0] = 2;
    m.lruvec.lrugen.gaveUpPopulated[0] = true;
    off(m);
    expect(classic(m, LRU_INACTIVE_ANON)).toEqual([folio]);
    expect(m.lruvec.lrugen.gaveUpPopulated).toEqual([false, false]);
  });
});

describe("switching on", () => {
  test("takes the four lists in order, coldest first, each folio to the head (SW-02)", () => {
    const m = new Machine();
    off(m);
    const add = (flags: number): number => m.add(m.folio(flags));
    const cold = [add(ANON), add(ANON)] as const;
    const hot = add(ANON | PG_ACTIVE);
    const hottest = add(ANON | PG_ACTIVE | PG_WORKINGSET);
    const read = [add(PG_REFERENCED), add(PG_REFERENCED | PG_ACTIVE)] as const;
    const ahead = add(0);
    on(m);
    expect([m.list(3), m.list(2), m.list(0)]).toEqual([[hottest], [hot, cold[1], cold[0]], []]);
    expect([m.list(2, 1), m.list(1, 1), m.list(0, 1)]).toEqual([[read[1]], [read[0]], [ahead]]);
    expect([hot, hottest].map((folio) => m.state(folio))).toEqual(["gen 2", "gen 3 W"]);
  });

  test("anon of the time in between sits in max_seq-1, which counts as active (SW-07)", () => {
    const m = new Machine();
    off(m);
    for (let i = 0; i < 65; i++) m.add(m.folio(ANON));
    expect([m.lruvec.sizeOf(LRU_INACTIVE_ANON), m.pages(2)]).toEqual([65, 0]);
    on(m);
    expect([m.lruvec.sizeOf(LRU_ACTIVE_ANON), m.pages(2)]).toEqual([65, 65]);
    expect(problems(m)).toEqual([]);
  });

  test("unevictable folios stay where they are counted", () => {
    const m = new Machine();
    m.add(m.folio(ANON | PG_UNEVICTABLE));
    off(m);
    on(m);
    expect([m.lruvec.sizeOf(4), problems(m)]).toEqual([1, []]);
  });
});

describe("the switch itself", () => {
  test("writing the present state takes no lock (SW-01)", () => {
    const m = new Machine();
    const folio = m.onList(1);
    on(m);
    expect([m.lruvec.lock.acquisitions, m.list(1)]).toEqual([0, [folio]]);
  });

  test("visits every lruvec of every memcg, and flips its flag (SW-01)", () => {
    const m = new Machine({ nodes: [...singleNode(1024), ...singleNode(1024)] });
    const child = m.memory.createMemcg(m.memcg, 29, "u");
    off(m);
    const lruvecs = [m.memory.root, m.memcg, child].flatMap(({ lruvecs: each }) => each);
    expect(lruvecs.map(({ lrugen }) => lrugen.enabled)).toEqual(Array(6).fill(false));
    expect(lruvecs.map(({ lock }) => lock.acquisitions)).toEqual(Array(6).fill(1));
    expect(m.memory.lru.coreEnabled).toBe(false);
  });

  test("4,096 folios are one lock hold; a round that ends on the budget is followed by another (SW-02)", () => {
    const m = new Machine({ nodes: singleNode(8192) });
    const folios = Array.from({ length: 4096 }, () => m.add(m.folio(PG_REFERENCED)));
    off(m);
    expect(m.lruvec.lock.acquisitions).toBe(2);
    m.add(m.folio(PG_REFERENCED));
    on(m);
    expect(m.lruvec.lock.acquisitions).toBe(2 + 2);
    expect(m.list(1, 1).slice(1)).toEqual(folios.toReversed());
  });

  test("sequence numbers and counters survive, and new lruvecs follow the switch (SW-05)", () => {
    const m = new Machine();
    m.age();
    m.lruvec.lrugen.evicted[2] = 5;
    off(m);
    const { lrugen } = m.memory.createMemcg(m.memcg, 29, "u").lruvecs[0]!;
    expect(lrugen.enabled).toBe(false);
    on(m);
    expect([m.lruvec.lrugen.maxSeq, [...m.lruvec.lrugen.minSeq]]).toEqual([4, [1, 1]]);
    expect([m.lruvec.lrugen.evicted[2], lrugen.enabled]).toEqual([5, true]);
  });

  test("a folio that waits in a batch goes where its lruvec is when it is drained (SW-06)", () => {
    const m = new Machine();
    const waiting = m.folio(ANON | PG_REFERENCED);
    off(m);
    m.add(waiting);
    expect(classic(m, LRU_INACTIVE_ANON)).toEqual([waiting]);
  });

  test("off, on, off and on again keep the folios and their coldest-first order (MINV-35)", () => {
    const m = new Machine();
    const folios = [1, 2, 3].map(() => m.onList(0, 0));
    for (let i = 0; i < 2; i++) {
      off(m);
      expect(classic(m, LRU_INACTIVE_FILE)).toEqual(folios.toReversed());
      on(m);
      expect(m.list(0, 1)).toEqual(folios.toReversed());
    }
    expect(classic(m, LRU_ACTIVE_FILE)).toEqual([]);
    expect(problems(m)).toEqual([]);
  });

  test("aging goes on while it is off, on empty lists (CAP-03)", () => {
    const m = new Machine();
    off(m);
    const folio = m.add(m.folio(ANON));
    m.age();
    expect([m.lruvec.lrugen.maxSeq, m.state(folio)]).toEqual([4, "gen -1"]);
  });
});
