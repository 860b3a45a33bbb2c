import { describe, expect, test } from "vitest";
import { LruPolicies, type LruPolicy, type Lruvec } from "../../src/index.ts";
import { listMachine } from "../machine.ts";
import type { ListKeeper } from "../list-policy.ts";

/** A policy that writes down what it is asked, and answers `mine`. */
function recorder(name: string, mine: boolean, log: unknown[]): LruPolicy {
  const keeper: ListKeeper = {
    addFolio: (_lruvec: Lruvec, folio, tail) => {
      log.push([name, "add", folio, tail]);
      return mine;
    },
    delFolio: (_lruvec: Lruvec, folio, reclaiming) => {
      log.push([name, "del", folio, reclaiming]);
      return mine;
    },
  };
  return keeper as LruPolicy;
}

function policies(mine: boolean): { lru: LruPolicies; log: unknown[]; lruvec: Lruvec } {
  const log: unknown[] = [];
  const lru = new LruPolicies(recorder("mglru", mine, log), recorder("classic", true, log));
  return { lru, log, lruvec: listMachine().memory.root.lruvecs[0]! };
}

describe("the two policies", () => {
  test("a folio that the multi-gen one takes is not offered to the classic one", () => {
    const { lru, log, lruvec } = policies(true);
    lru.addFolio(lruvec, 5, true);
    lru.delFolio(lruvec, 5);
    expect(log).toEqual([
      ["mglru", "add", 5, true],
      ["mglru", "del", 5, false],
    ]);
  });

  test("a folio that the multi-gen one refuses goes to the classic one (ADD-01, DEL-01)", () => {
    const { lru, log, lruvec } = policies(false);
    lru.addFolio(lruvec, 5, false);
    lru.delFolio(lruvec, 5);
    expect(log).toEqual([
      ["mglru", "add", 5, false],
      ["classic", "add", 5, false],
      ["mglru", "del", 5, false],
      ["classic", "del", 5, false],
    ]);
  });

  test("the one that judges accesses follows the CORE switch (CAP-01)", () => {
    const { lru } = policies(true);
    expect(lru.active).toBe(lru.mglru);
    lru.coreEnabled = false;
    expect(lru.active).toBe(lru.classic);
  });
});
