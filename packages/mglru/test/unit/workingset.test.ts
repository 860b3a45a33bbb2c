import {
  LRU_REFS_PGOFF,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  unpackShadow,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

const refs = (extra: number): number => PG_REFERENCED | (extra << LRU_REFS_PGOFF);

describe("evictionShadow", () => {
  test.each([
    [0, 0, 4],
    [refs(0), 0, 4],
    [refs(1), 1, 5],
    [refs(2), 2, 6],
    [refs(3), 2, 7],
    [refs(3) | PG_WORKINGSET, 3, 7],
    [PG_WORKINGSET, 3, 4],
    [3 << LRU_REFS_PGOFF, 0, 4],
  ])(
    "of a folio with flags %i counts in tier %i, with token %i (RFT-02, RFT-03)",
    (flags, tier, token) => {
      const m = new Machine();
      m.lruvec.lrugen.minSeq[1] = 1;
      const shadow = m.policy.evictionShadow(m.folio(flags, 2), null);
      expect(unpackShadow(shadow)).toEqual({
        privateId: m.memcg.privateId,
        node: 0,
        token,
        workingset: (flags & PG_WORKINGSET) !== 0,
      });
      expect(m.lruvec.lrugen.evicted[4 + tier]).toBe(4);
    },
  );

  test("is the folio's own memcg's, whatever is being reclaimed (RFT-03)", () => {
    const m = new Machine();
    const shadow = m.policy.evictionShadow(m.folio(PG_SWAPBACKED), m.memory.root);
    expect(unpackShadow(shadow).privateId).toBe(m.memcg.privateId);
    expect(m.lruvec.lrugen.evicted[0]).toBe(1);
  });
});

/** Evicts a folio with these flags, and brings it back. */
function comeBack(flags: number, inLruFault: boolean, agings = 0): { m: Machine; state: string } {
  const m = new Machine();
  const shadow = m.policy.evictionShadow(m.folio(flags), null);
  for (let i = 0; i < agings; i++) m.age();
  const fresh = m.folio(flags & PG_SWAPBACKED);
  m.task.inLruFault = inLruFault;
  m.policy.refault(m.task, fresh, shadow);
  return { m, state: m.state(fresh) };
}

describe("refault", () => {
  test.each([
    [0, 0, "gen -1"],
    [1, 1, "gen -1 r1"],
    [2, 2, "gen -1 r2"],
    [3, 2, "gen -1 r3"],
  ])(
    "after %i extra accesses counts in tier %i and restores them (RFT-06, RFT-07)",
    (extra, tier, expected) => {
      const { m, state } = comeBack(refs(extra), false);
      expect([state, m.lruvec.lrugen.refaulted[4 + tier]]).toEqual([expected, 1]);
      expect(m.events).toEqual({ workingset_refault_file: 1 });
      expect(m.memcg.vmstat.toRecord()).toMatchObject({ workingset_refault_file: 1 });
    },
  );

  test("of a workingset folio restores the flag, in tier 3 (RFT-06)", () => {
    const { m, state } = comeBack(refs(3) | PG_WORKINGSET, false);
    expect([state, m.lruvec.lrugen.refaulted[7]]).toEqual(["gen -1 W", 1]);
    expect(m.events).toEqual({ workingset_refault_file: 1, workingset_restore_file: 1 });
  });

  test("counts an activation only inside a fault (RFT-06, MINV-28)", () => {
    const { m } = comeBack(PG_SWAPBACKED | PG_WORKINGSET, true);
    expect(m.events).toEqual({
      workingset_refault_anon: 1,
      workingset_activate_anon: 1,
      workingset_restore_anon: 1,
    });
  });

  test.each([
    [0, true],
    [1, false],
  ])(
    "of the oldest of four generations, %i agings later, is recent: %s (RFT-05)",
    (agings, recent) => {
      const { m } = comeBack(0, false, agings);
      expect([m.lruvec.lrugen.refaulted[4], m.events["workingset_refault_file"]]).toEqual([
        recent ? 1 : 0,
        1,
      ]);
    },
  );

  test("into another memcg has no effect at all (RFT-06)", () => {
    const m = new Machine();
    const shadow = m.policy.evictionShadow(m.folio(PG_WORKINGSET), null);
    const fresh = m.folio(0, 0, m.memory.root);
    m.policy.refault(m.task, fresh, shadow);
    expect([m.state(fresh), m.events]).toEqual(["gen -1", {}]);
  });
});
