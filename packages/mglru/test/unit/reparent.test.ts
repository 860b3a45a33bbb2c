import {
  LRU_FILE,
  MAX_NR_ZONES,
  PG_LRU,
  PG_SWAPBACKED,
  STATE_ANON,
  vmstatId,
} from "@lrugen/mm-core";
import { checkLruvecs } from "@lrugen/mm-core/check";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

/** /t, and /t/c whose folios move to it. */
function family(): Machine & { readonly child: ReturnType<Machine["memory"]["createMemcg"]> } {
  const m = new Machine();
  return Object.assign(m, { child: m.memory.createMemcg(m.memcg, 29, "c") });
}

describe("memcgOffline", () => {
  test("moves every list to the cold end of the parent's list of the same slot (REPAR-03)", () => {
    const m = family();
    const own = m.add(m.folio(PG_SWAPBACKED));
    const a = m.add(m.folio(PG_SWAPBACKED, 0, m.child));
    const b = m.add(m.folio(PG_SWAPBACKED, 0, m.child));
    m.policy.memcgOffline(m.cpu, m.child);
    expect([m.list(2), m.list(2, 0, 1, m.child.lruvecs[0])]).toEqual([[own, b, a], []]);
    expect([m.memory.folios.memcg[a], m.child.charged, m.memcg.charged]).toEqual([
      m.memcg.index,
      0,
      3,
    ]);
  });

  test("pages in slots 0 and 1 show as seq 8 and 5 of a parent with 5..8 (GT-07, MINV-37)", () => {
    const m = family();
    for (let i = 0; i < 5; i++) m.age();
    const lruvec = m.child.lruvecs[0]!;
    for (let i = 0; i < 62; i++) m.add(m.folio(0, 0, m.child)); // file, generation 0
    lruvec.lrugen.minSeq.fill(0);
    const moved = m.list(0, LRU_FILE, 1, lruvec).slice(2);
    for (const folio of moved) {
      m.setGen(folio, 1);
      m.memory.lists.move(m.head(1, LRU_FILE, 1, lruvec), folio);
    }
    lruvec.lrugen.nrPages[LRU_FILE * MAX_NR_ZONES + 1]! -= 60;
    lruvec.lrugen.nrPages[(2 + LRU_FILE) * MAX_NR_ZONES + 1]! += 60;
    m.policy.memcgOffline(m.cpu, m.child);
    expect([5, 6, 7, 8].map((seq) => m.pages(seq, LRU_FILE))).toEqual([60, 0, 0, 2]);
    expect([...lruvec.lrugen.nrPages].every((pages) => pages === 0)).toBe(true);
    expect([...lruvec.lruSize].every((pages) => pages === 0)).toBe(true);
    expect([m.lruvec.sizeOf(2), m.lruvec.sizeOf(3)]).toEqual([60, 2]);
  });

  test("the parent gets all four generations first, without a walk (REPAR-02)", () => {
    const m = family();
    m.lruvec.lrugen.minSeq.set([2, 1]);
    m.policy.memcgOffline(m.cpu, m.child);
    expect([m.lruvec.lrugen.maxSeq, [...m.lruvec.lrugen.minSeq]]).toEqual([5, [2, 2]]);
    expect([m.lruvec.mmState.seq, m.stats]).toEqual([4, [0, 0, 0, 0]]);
  });

  test("unevictable folios go with their zone sizes (REPAR-04)", () => {
    const m = family();
    m.child.lruvecs[0]!.updateLruSize(4, 1, 7);
    m.policy.memcgOffline(m.cpu, m.child);
    expect([m.lruvec.sizeOf(4), m.lruvec.lruZoneSize[4 * MAX_NR_ZONES + 1]]).toEqual([7, 7]);
    expect(m.child.lruvecs[0]!.sizeOf(4)).toBe(0);
  });

  test("so do the classic lists while they are in use", () => {
    const m = family();
    m.policy.sysfs.writeEnabled(m.cpu, "n");
    const folio = m.add(m.folio(PG_SWAPBACKED, 0, m.child));
    m.policy.memcgOffline(m.cpu, m.child);
    expect([...m.memory.lists.walk(m.lruvec.listHead)]).toEqual([folio]);
    expect([m.lruvec.sizeOf(0), m.child.lruvecs[0]!.sizeOf(0)]).toEqual([1, 0]);
  });

  test("what the child counted is the parent's", () => {
    const m = family();
    const event = vmstatId("pgscan_direct");
    m.memory.states.add(STATE_ANON, m.child.index, 3);
    m.child.vmstat.add(event, 5);
    m.policy.memcgOffline(m.cpu, m.child);
    expect(m.memory.states.of(STATE_ANON, m.memcg.index)).toBe(3);
    expect(m.memory.states.of(STATE_ANON, m.child.index)).toBe(0);
    expect(m.memcg.vmstat.values[event]).toBe(5);
  });

  test("folios outside the child's window stay on its lists, and leave the parent's sizes negative (AGE-11, REPAR-03)", () => {
    const m = family();
    const [child] = m.child.lruvecs;
    const lost = m.add(m.folio(PG_SWAPBACKED, 0, m.child));
    m.setGen(lost, 0);
    m.memory.lists.move(m.head(0, 0, 1, child), lost);
    child!.lrugen.nrPages[2 * 2 * MAX_NR_ZONES + 1]! -= 1;
    child!.lrugen.nrPages[1]! += 1;
    child!.lrugen.minSeq.set([2, 2]);
    child!.lrugen.gaveUpPopulated[0] = true;
    m.policy.memcgOffline(m.cpu, m.child);
    expect([m.list(0, 0, 1, child), m.lruvec.lrugen.gaveUpPopulated]).toEqual([
      [lost],
      [true, false],
    ]);
    expect([m.lruvec.sizeOf(0) + m.lruvec.sizeOf(1), m.lruvec.lrugen.abandonedPages[1]]).toEqual([
      1, 1,
    ]);
    m.memory.removeMemcg(m.child);
    expect(checkLruvecs(m.memory, { quiescent: true })).toEqual([]);
    m.memory.lru.delFolio(m.lruvec, lost);
    m.memory.folios.flags[lost]! &= ~PG_LRU;
    expect([m.list(0, 0, 1, child), m.pages(0)]).toEqual([[], -1]);
    expect(checkLruvecs(m.memory, { quiescent: true })).toEqual([]);
  });

  test("it leaves the memcg LRU, and its shadows count as the root's (MLRU-03, RFT-05)", () => {
    const m = family();
    const [lru] = m.policy.memcgLrus;
    const before = lru!.nrMemcgs.reduce((sum, count) => sum + count, 0);
    const folio = m.onList(0, 0);
    m.memory.folios.memcg[folio] = m.child.index;
    const shadow = m.policy.evictionShadow(folio, null);
    m.policy.memcgOffline(m.cpu, m.child);
    m.memory.removeMemcg(m.child);
    expect(lru!.nrMemcgs.reduce((sum, count) => sum + count, 0)).toBe(before - 1);
    const fresh = m.folio(0, 0, m.memory.root);
    m.policy.refault(m.task, fresh, shadow);
    expect(m.events).toEqual({ workingset_refault_file: 1 });
  });

  test("the root goes nowhere", () => {
    const m = new Machine();
    const folio = m.add(m.folio(PG_SWAPBACKED, 0, m.memory.root));
    m.policy.memcgOffline(m.cpu, m.memory.root);
    expect(m.memory.folios.memcg[folio]).toBe(m.memory.root.index);
  });
});
