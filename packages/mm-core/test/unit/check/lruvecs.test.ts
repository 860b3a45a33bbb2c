import { describe, expect, test } from "vitest";
import {
  ANON_AND_FILE,
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  LRU_INACTIVE_ANON,
  LRU_UNEVICTABLE,
  MAX_NR_ZONES,
  NIL,
  PG_ACTIVE,
  PG_BUDDY,
  PG_LRU,
  PG_SWAPBACKED,
  PG_TAIL,
  PG_UNEVICTABLE,
} from "../../../src/index.ts";
import { checkLruvecs } from "../../../src/check/index.ts";
import { type PopulatedMachine, populatedMachine, rulesOf } from "../../populated-machine.ts";

/** Zone id of Normal, where the folios of the machine are. */
const NORMAL = 2;

/** Slot of a generation of anon folios in zone 0. */
function generation(gen: number): number {
  return gen * ANON_AND_FILE * MAX_NR_ZONES;
}

interface Corruption {
  readonly title: string;
  readonly corrupt: (machine: PopulatedMachine) => void;
  /** The line that must be there. */
  readonly line: (machine: PopulatedMachine) => string;
  /** Every rule that fires. */
  readonly rules: readonly string[];
}

/** Changes one thing in a sound machine and looks at what is said. */
function found({ corrupt, line }: Corruption, quiescent: boolean): [string[], string] {
  const machine = populatedMachine();
  corrupt(machine);
  return [checkLruvecs(machine.memory, { quiescent }), line(machine)];
}

function setGen({ memory }: PopulatedMachine, folio: number, field: number): void {
  memory.folios.flags[folio] =
    (memory.folios.flags[folio]! & ~LRU_GEN_MASK) | (field << LRU_GEN_PGOFF);
}

const FLAG_RULES: readonly Corruption[] = [
  {
    title: "INV-01: PG_lru on a folio that is on no list",
    corrupt: ({ memory, offLru }) => void (memory.folios.flags[offLru]! |= PG_LRU),
    line: ({ offLru }) => `INV-01: folio ${offLru}: PG_lru set on no LRU list, expected it on one`,
    rules: ["INV-01"],
  },
  {
    title: "INV-01: an unevictable folio on a list",
    corrupt: ({ memory, unevictable, a }) =>
      memory.lists.add(a.lruvecs[0]!.listHead + LRU_ACTIVE_FILE, unevictable),
    line: ({ unevictable }) =>
      `INV-01: folio ${unevictable}: unevictable on memcg /a node 0 active_file, expected it on none`,
    rules: ["FOL-04", "INV-01", "MINV-06"],
  },
  {
    title: "INV-02, MINV-07: a linked folio without PG_lru",
    corrupt: ({ memory, active }) => void (memory.folios.flags[active]! &= ~PG_LRU),
    line: ({ active }) =>
      `MINV-07: folio ${active}: PG_lru clear on memcg /a node 0 active_file, expected it set`,
    rules: ["INV-02", "MINV-07"],
  },
  {
    title: "INV-02: a generation on a folio that is not on the LRU",
    corrupt: (machine) => setGen(machine, machine.offLru, 2),
    line: ({ offLru }) => `INV-02: folio ${offLru}: PG_lru clear and GEN 2, expected GEN 0`,
    rules: ["INV-02", "MINV-04"],
  },
  {
    title: "INV-03, MINV-05: PG_active on a generation",
    corrupt: ({ memory, file }) => void (memory.folios.flags[file]! |= PG_ACTIVE),
    line: ({ file }) => `INV-03: folio ${file}: GEN 3 and PG_active, expected none`,
    rules: ["INV-03", "MINV-05"],
  },
  {
    title: "INV-03, MINV-05: PG_unevictable on a generation",
    corrupt: ({ memory, file }) => void (memory.folios.flags[file]! |= PG_UNEVICTABLE),
    line: ({ file }) =>
      `MINV-05: folio ${file}: PG_unevictable on memcg / node 0 gen 2 file Normal, expected none`,
    rules: ["INV-01", "INV-03", "MINV-05"],
  },
  {
    title: "INV-04: PG_active and PG_unevictable at once",
    corrupt: ({ memory, offLru }) =>
      void (memory.folios.flags[offLru]! |= PG_ACTIVE | PG_UNEVICTABLE),
    line: ({ offLru }) =>
      `INV-04: folio ${offLru}: PG_active PG_unevictable found, expected at most one`,
    rules: ["INV-04"],
  },
  {
    title: "INV-10: a folio without references on a list",
    corrupt: ({ memory, anon }) => void (memory.folios.refcount[anon] = 0),
    line: ({ anon }) => `INV-10: folio ${anon}: 0 references and on an LRU, expected at least 1`,
    rules: ["INV-10"],
  },
  {
    title: "INV-10: a folio without references that is mapped",
    corrupt: ({ memory, offLru }) => {
      memory.folios.refcount[offLru] = 0;
      memory.folios.mapcount[offLru] = 2;
    },
    line: ({ offLru }) =>
      `INV-10: folio ${offLru}: 0 references and 2 mappings, expected no mapping`,
    rules: ["INV-10"],
  },
  {
    title: "INV-10: a free block on a list",
    corrupt: ({ memory, anon }) => void (memory.folios.flags[anon] = PG_BUDDY),
    line: ({ anon }) =>
      `INV-10: frame ${anon}: a free block found on memcg / node 0 gen 2 anon Normal, expected a folio`,
    rules: ["INV-10"],
  },
  {
    title: "INV-10: a tail page on a list",
    corrupt: ({ memory, anon }) => void (memory.folios.flags[anon]! |= PG_TAIL),
    line: ({ anon }) =>
      `INV-10: frame ${anon}: a tail page found on memcg / node 0 gen 2 anon Normal, expected a folio`,
    rules: ["INV-10"],
  },
  {
    title: "MINV-04: no generation on a generation list",
    corrupt: (machine) => setGen(machine, machine.file, 0),
    line: ({ file }) =>
      `MINV-04: folio ${file}: GEN 0 on memcg / node 0 gen 2 file Normal, expected 1..4`,
    rules: ["MINV-04"],
  },
  {
    title: "MINV-04: a generation that cannot be",
    corrupt: (machine) => setGen(machine, machine.file, 5),
    line: ({ file }) =>
      `MINV-04: folio ${file}: GEN 5 on memcg / node 0 gen 2 file Normal, expected 1..4`,
    rules: ["MINV-04"],
  },
  {
    title: "MINV-04: a generation on a classic list",
    corrupt: (machine) => setGen(machine, machine.inactive, 1),
    line: ({ inactive }) =>
      `MINV-04: folio ${inactive}: GEN 1 on memcg /a node 0 inactive_anon, expected 0`,
    rules: ["MINV-04"],
  },
  {
    title: "MINV-06: a folio that changed its type on a generation list",
    corrupt: ({ memory, anon }) => void (memory.folios.flags[anon]! &= ~PG_SWAPBACKED),
    line: ({ anon }) =>
      `MINV-06: folio ${anon}: type file on memcg / node 0 gen 2 anon Normal, expected anon`,
    rules: ["MINV-06"],
  },
  {
    title: "MINV-06: a folio that changed its type on a classic list",
    corrupt: ({ memory, active }) => void (memory.folios.flags[active]! |= PG_SWAPBACKED),
    line: ({ active }) =>
      `MINV-06: folio ${active}: type anon on memcg /a node 0 active_file, expected file`,
    rules: ["MINV-06"],
  },
  {
    title: "MINV-06: a folio on the list of another zone",
    corrupt: ({ memory, anon }) =>
      memory.lists.move(memory.root.lruvecs[0]!.lrugen.listHead + generation(2), anon),
    line: ({ anon }) =>
      `MINV-06: folio ${anon}: zone Normal on memcg / node 0 gen 2 anon DMA, expected DMA`,
    rules: ["MINV-06"],
  },
  {
    title: "MINV-06: a folio of another memcg",
    corrupt: ({ memory, active }) => void (memory.folios.memcg[active] = 0),
    line: ({ active }) =>
      `MINV-06: folio ${active}: memcg / node 0 on memcg /a node 0 active_file, ` +
      "expected memcg /a node 0",
    rules: ["MINV-06"],
  },
  {
    title: "MINV-06: a folio of a memcg that is gone",
    corrupt: ({ memory, active }) => void (memory.folios.memcg[active] = 7),
    line: ({ active }) =>
      `MINV-06: folio ${active}: no memcg on memcg /a node 0 active_file, expected memcg /a node 0`,
    rules: ["MINV-06"],
  },
  {
    title: "FOL-04: an inactive folio on an active list",
    corrupt: ({ memory, active }) => void (memory.folios.flags[active]! &= ~PG_ACTIVE),
    line: ({ active }) =>
      `FOL-04: folio ${active}: PG_active clear on memcg /a node 0 active_file, expected it set`,
    rules: ["FOL-04"],
  },
  {
    title: "FOL-04: an active folio on an inactive list",
    corrupt: ({ memory, inactive }) => void (memory.folios.flags[inactive]! |= PG_ACTIVE),
    line: ({ inactive }) =>
      `FOL-04: folio ${inactive}: PG_active set on memcg /a node 0 inactive_anon, expected it clear`,
    rules: ["FOL-04"],
  },
  {
    title: "MINV-08: one generation of a type",
    corrupt: ({ memory }) => void (memory.root.lruvecs[1]!.lrugen.minSeq[1] = 3),
    line: () => "MINV-08 (INV-08): memcg / node 1: 1 generations of file (3..3), expected 2..4",
    rules: ["MINV-08"],
  },
  {
    title: "MINV-08: five generations of both types",
    corrupt: ({ a }) => void (a.lruvecs[0]!.lrugen.maxSeq = 4),
    line: () => "MINV-08 (INV-08): memcg /a node 0: 5 generations of anon (0..4), expected 2..4",
    rules: ["MINV-08"],
  },
  {
    title: "MINV-12: folios two slots outside of the generations",
    corrupt: ({ memory }) => void (memory.root.lruvecs[0]!.lrugen.minSeq[0] = 2),
    line: () => "MINV-12: memcg / node 0: folios on gen 0 anon Normal, expected none outside 2..3",
    rules: ["MINV-12"],
  },
];

/** Adds to the size that a lruvec keeps for one list of zone Normal. */
function addTo(sizes: Int32Array, lru: number, pages: number): void {
  sizes[lru * MAX_NR_ZONES + NORMAL]! += pages;
}

const SIZE_RULES: readonly Corruption[] = [
  {
    title: "MINV-01: pages counted under another generation than flagged",
    corrupt: ({ memory }) => {
      const { nrPages } = memory.root.lruvecs[0]!.lrugen;
      nrPages[generation(2) + NORMAL]! -= 1;
      nrPages[generation(3) + NORMAL]! += 1;
    },
    line: () =>
      "MINV-01: memcg / node 0: nr_pages of gen 3 anon Normal is 2, " +
      "expected 1 (pages with that flag generation)",
    rules: ["MINV-01"],
  },
  {
    title: "MINV-02: more pages counted than linked",
    corrupt: ({ memory }) => void (memory.root.lruvecs[0]!.lrugen.nrPages[NORMAL] = 5),
    line: () => "MINV-02: memcg / node 0: nr_pages of anon Normal add up to 24, expected 19 linked",
    rules: ["INV-06", "MINV-01", "MINV-02", "MINV-13"],
  },
  {
    title: "MINV-13: pages counted active that are old",
    corrupt: ({ memory }) => {
      addTo(memory.root.lruvecs[0]!.lruSize, LRU_ACTIVE_ANON, -1);
      addTo(memory.root.lruvecs[0]!.lruSize, LRU_INACTIVE_ANON, 1);
    },
    line: () => "MINV-13 (INV-07): memcg / node 0: size of inactive_anon Normal is 1, expected 0",
    rules: ["MINV-13"],
  },
  {
    title: "INV-06: pages of a type that nothing accounts for",
    corrupt: ({ memory }) => addTo(memory.root.lruvecs[0]!.lruSize, LRU_ACTIVE_FILE, 1),
    line: () => "INV-06: memcg / node 0: size of file Normal is 2, expected 1",
    rules: ["INV-06", "MINV-13"],
  },
  {
    title: "INV-06: unevictable pages that nothing accounts for",
    corrupt: ({ memory }) => addTo(memory.root.lruvecs[0]!.lruSize, LRU_UNEVICTABLE, 1),
    line: () => "INV-06: memcg / node 0: size of unevictable Normal is 9, expected 8",
    rules: ["INV-06"],
  },
  {
    title: "FOL-42: lru_zone_size that counts a multi-gen folio",
    corrupt: ({ memory }) => addTo(memory.root.lruvecs[0]!.lruZoneSize, LRU_ACTIVE_FILE, 1),
    line: () => "FOL-42: memcg / node 0: lru_zone_size of active_file Normal is 1, expected 0",
    rules: ["FOL-42"],
  },
  {
    title: "FOL-42: lru_zone_size that misses a classic folio",
    corrupt: ({ a }) => addTo(a.lruvecs[0]!.lruZoneSize, LRU_INACTIVE_ANON, -4),
    line: () => "FOL-42: memcg /a node 0: lru_zone_size of inactive_anon Normal is 0, expected 4",
    rules: ["FOL-42"],
  },
  {
    title: "MINV-12: folios one slot outside of the generations",
    corrupt: ({ memory }) => void (memory.root.lruvecs[0]!.lrugen.minSeq[0] = 1),
    line: () => "MINV-12: memcg / node 0: folios on gen 0 anon Normal, expected none outside 1..3",
    rules: ["MINV-12"],
  },
];

describe("checkLruvecs", () => {
  test.each([false, true])("has nothing to say about a sound machine (quiescent: %s)", (quiet) => {
    expect(checkLruvecs(populatedMachine().memory, { quiescent: quiet })).toEqual([]);
  });

  test.each(FLAG_RULES)("at any time finds $title", (corruption) => {
    const [lines, expected] = found(corruption, false);
    expect(lines).toContain(expected);
    expect(rulesOf(lines)).toEqual(corruption.rules);
  });

  test.each(SIZE_RULES)("when quiescent finds $title", (corruption) => {
    const [lines, expected] = found(corruption, true);
    expect(lines).toContain(expected);
    expect(rulesOf(lines)).toEqual(corruption.rules);
  });

  test.each(SIZE_RULES)("is silent while not quiescent about $title", (corruption) => {
    expect(found(corruption, false)[0]).toEqual([]);
  });

  test("allows a folio on an older list than its flags say (MINV-03)", () => {
    const { memory, updated } = populatedMachine();
    expect((memory.folios.flags[updated]! & LRU_GEN_MASK) >> LRU_GEN_PGOFF).toBe(4);
    expect(memory.lists.next[updated]).toBe(memory.root.lruvecs[0]!.lrugen.listHead + NORMAL);
    expect(checkLruvecs(memory)).toEqual([]);
  });

  test("allows folios outside the generations of a type that an aging skipped (MINV-12, AGE-11)", () => {
    const { memory } = populatedMachine();
    const { lrugen } = memory.root.lruvecs[0]!;
    lrugen.minSeq[0] = 2;
    lrugen.gaveUpPopulated[1] = true;
    expect(checkLruvecs(memory)).toHaveLength(1);
    lrugen.gaveUpPopulated[0] = true;
    expect(checkLruvecs(memory)).toEqual([]);
  });

  test("allows mlock_count in a link of an unevictable folio (FOL-05)", () => {
    const { memory, unevictable } = populatedMachine();
    memory.lists.prev[unevictable] = 2;
    expect(checkLruvecs(memory, { quiescent: true })).toEqual([]);
  });

  test("comes to an end on broken lists, whose rest counts as unlinked", () => {
    const { memory, anon, coldAnon } = populatedMachine();
    memory.lists.next[anon] = NIL;
    expect(checkLruvecs(memory)).toEqual([
      `INV-01: folio ${coldAnon}: PG_lru set on no LRU list, expected it on one`,
      `MINV-04: folio ${coldAnon}: GEN 3 on no LRU list, expected 0`,
    ]);
  });
});
