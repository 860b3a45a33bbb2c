import {
  LRU_REFS_PGOFF,
  NotModelledError,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
} from "@lrugen/mm-core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packShadow, unpackShadow } from "../../src/index.ts";
import { Machine } from "../machine.ts";

const refs = (extra: number): number => PG_REFERENCED | (extra << LRU_REFS_PGOFF);

describe("a shadow", () => {
  test("gives back what went in, is exact and never 0 (RFT-01)", () => {
    const parts = fc.tuple(
      fc.integer({ min: 1, max: 65_535 }),
      fc.nat(63),
      fc.nat(2 ** 30 - 1),
      fc.boolean(),
    );
    fc.assert(
      fc.property(parts, ([privateId, node, token, workingset]) => {
        const shadow = packShadow(privateId, node, token, workingset);
        expect(Number.isSafeInteger(shadow) && shadow > 0).toBe(true);
        expect(unpackShadow(shadow)).toEqual({ privateId, node, token, workingset });
      }),
      { seed: 1 },
    );
  });

  test("forgets what of a token is beyond 30 bits (RFT-02)", () => {
    expect(unpackShadow(packShadow(1, 0, 2 ** 30 + 5, false)).token).toBe(5);
  });
});

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

describe("with the multi-gen LRU switched off", () => {
  test("reclaim, shadows and refaults are not modelled", () => {
    const m = new Machine();
    const folio = m.folio(0);
    const shadow = m.policy.evictionShadow(folio, null);
    m.policy.sysfs.writeEnabled(m.cpu, "n");
    const sc = m.scanControl();
    const calls = [
      (): void => m.policy.shrinkLruvec(m.lruvec, sc),
      (): void => m.policy.shrinkNode(0, sc),
      (): void => m.policy.ageNode(0, sc),
      (): unknown => m.policy.checkReferences(folio, 1, 0),
      (): unknown => m.policy.evictionShadow(folio, null),
      (): void => m.policy.refault(m.task, folio, shadow),
    ];
    for (const call of calls) expect(call).toThrow(NotModelledError);
  });
});
