import {
  LRU_REFS_PGOFF,
  PG_ACTIVE,
  PG_DROPBEHIND,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
  PG_WORKINGSET,
  VM_EXEC,
  VM_LOCKED,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { folioTier, isSaturated, References } from "../../src/index.ts";
import { Machine } from "../machine.ts";

const refs = (extra: number): number => PG_REFERENCED | (extra << LRU_REFS_PGOFF);

/** A folio on no list, whose state is then only what the references say. */
function folioWith(flags: number): { m: Machine; folio: number; references: References } {
  const m = new Machine();
  return { m, folio: m.folio(flags), references: new References(m.memory) };
}

describe("markAccessed", () => {
  test("counts accesses one by one up to saturation, which the fifth completes (REF-01, REF-02)", () => {
    const { m, folio } = folioWith(0);
    const seen: string[] = [];
    for (let access = 0; access < 7; access++) {
      seen.push(`${m.state(folio)} tier ${folioTier(m.flags(folio))}`);
      m.policy.markAccessed(m.cpu, folio);
    }
    expect(seen).toEqual([
      "gen -1 tier 0",
      "gen -1 R tier 0",
      "gen -1 R r1 tier 1",
      "gen -1 R r2 tier 2",
      "gen -1 R r3 tier 2",
      "gen -1 R W r3 tier 3",
      "gen -1 R W r3 tier 3",
    ]);
    expect(isSaturated(m.flags(folio))).toBe(true);
  });

  test("the first access erases a count that a refault restored (REF-02, MINV-20)", () => {
    const { m, folio } = folioWith(3 << LRU_REFS_PGOFF);
    m.policy.markAccessed(m.cpu, folio);
    expect(m.state(folio)).toBe("gen -1 R");
  });

  test.each([
    ["dropbehind", PG_DROPBEHIND],
    ["unevictable", PG_UNEVICTABLE],
  ])("leaves a %s folio alone (REF-01, REF-02)", (_name, flag) => {
    const { m, folio } = folioWith(flag | refs(1));
    const before = m.flags(folio);
    m.policy.markAccessed(m.cpu, folio);
    expect(m.flags(folio)).toBe(before);
  });

  test("moves nothing between lists or generations (REF-04)", () => {
    const m = new Machine();
    const [a, b] = [m.onList(0, 0), m.onList(0, 0)];
    for (let i = 0; i < 6; i++) m.policy.markAccessed(m.cpu, a);
    expect([m.list(0, 1), m.pages(0, 1), m.state(a)]).toEqual([[b, a], 2, "gen 0 R W r3"]);
  });
});

describe("beforeAdd (REF-07, BATCH-20)", () => {
  test.each([
    ["a fresh folio of a fault is referenced", 0, true, "gen -1 R"],
    ["outside a fault nothing is marked", 0, false, "gen -1"],
    ["a workingset refault becomes active (ADD-17)", PG_WORKINGSET, true, "gen -1 W A"],
    ["but not outside a fault (ADD-18)", PG_WORKINGSET, false, "gen -1 W"],
    ["a referenced folio is not counted again", refs(0), true, "gen -1 R"],
    ["nor one with more accesses", refs(2), true, "gen -1 R r2"],
    ["REFS without PG_referenced start over", 2 << LRU_REFS_PGOFF, true, "gen -1 R"],
    ["workingset wins over referenced", PG_WORKINGSET | refs(0), true, "gen -1 R W A"],
    ["an unevictable folio stays as it is", PG_UNEVICTABLE, true, "gen -1"],
    ["dropbehind is not marked", PG_DROPBEHIND, true, "gen -1"],
  ] as const)("%s", (_name, flags, inLruFault, expected) => {
    const { m, folio } = folioWith(flags);
    m.policy.beforeAdd(folio, inLruFault);
    expect(m.state(folio)).toBe(expected);
  });
});

describe("setRefs, for a folio that the reverse map found young (REF-10, REF-11)", () => {
  test.each([
    ["first sight of anon", PG_SWAPBACKED, false, false, "R"],
    ["first sight of anon, executable mapping", PG_SWAPBACKED, true, false, "R"],
    ["first sight of a file", 0, false, false, "R"],
    ["first sight of an executable file promotes", 0, true, true, "W"],
    ["a leftover count is erased at first sight", 3 << LRU_REFS_PGOFF, false, false, "R"],
    ["... and by the executable shortcut", 3 << LRU_REFS_PGOFF, true, true, "W"],
    ["second sight only counts, but promotes", refs(0), false, true, "R r1"],
    ["third sight makes it workingset", refs(1), false, true, "W"],
    ["so does every later one", refs(3), false, true, "W"],
    ["workingset alone gets referenced", PG_WORKINGSET, false, true, "R W"],
    ["workingset and referenced counts", PG_WORKINGSET | refs(0), false, true, "R W r1"],
    ["workingset and more is reset", PG_WORKINGSET | refs(2), false, true, "W"],
  ] as const)("%s", (_name, flags, executable, promote, expected) => {
    const { m, folio, references } = folioWith(flags);
    expect(references.setRefs(folio, executable)).toBe(promote);
    expect(m.state(folio)).toBe(`gen -1 ${expected}`);
  });
});

describe("clearRefs (REF-20, BATCH-25)", () => {
  const ALL = refs(3) | PG_WORKINGSET;

  test("a folio off the lists needs no move, and keeps everything", () => {
    const { m, folio } = folioWith(ALL | PG_ACTIVE);
    expect(m.policy.clearRefs(m.lruvec, folio)).toBe(true);
    expect(m.state(folio)).toBe("gen -1 R W A r3");
  });

  test.each([
    [0, PG_SWAPBACKED, true],
    [1, PG_SWAPBACKED, false],
    [3, PG_SWAPBACKED, false],
    [2, 0, false],
    [1, 0, true],
  ])("in seq %i, flags %i, needs no move: %s; accesses are forgotten", (seq, flags, oldest) => {
    const m = new Machine();
    m.lruvec.lrugen.minSeq.set([0, 1]);
    const folio = m.onList(seq, flags | ALL);
    expect(m.policy.clearRefs(m.lruvec, folio)).toBe(oldest);
    expect(m.state(folio)).toBe(`gen ${seq}`);
  });
});

describe("checkReferences", () => {
  test.each([
    ["a locked VMA", 0, PG_REFERENCED, VM_LOCKED, "activate"],
    ["a locked VMA of an exiting program", -1, 0, VM_LOCKED, "activate"],
    ["contention", -1, PG_REFERENCED, 0, "keep"],
    ["nobody, whatever was read before", 0, refs(3) | PG_WORKINGSET, 0, "reclaim"],
    ["the first reference", 1, PG_SWAPBACKED, 0, "keep"],
    ["the first one of program text", 1, 0, VM_EXEC, "activate"],
    ["executable anon memory", 1, PG_SWAPBACKED, VM_EXEC, "keep"],
    ["another one", 1, PG_SWAPBACKED | PG_REFERENCED, 0, "activate"],
    ["one to the working set", 2, PG_WORKINGSET, 0, "activate"],
  ])("%s: %i references of flags %i in VMAs of %i: %s (CLS-10, EVT-60)", (...row) => {
    const [, referenced, flags, vmaFlags, verdict] = row;
    const { folio, references } = folioWith(flags);
    expect(references.checkReferences(folio, referenced, vmaFlags)).toBe(verdict);
  });

  test("the policy asks its references", () => {
    const { m, folio } = folioWith(PG_SWAPBACKED);
    expect(m.policy.checkReferences(folio, 1, 0)).toBe("keep");
    expect(m.state(folio)).toBe("gen -1 R");
  });
});
