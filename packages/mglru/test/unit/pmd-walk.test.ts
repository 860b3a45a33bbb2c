import {
  type Mm,
  PG_REFERENCED,
  PG_SWAPBACKED,
  singleNode,
  VM_EXEC,
  VM_LOCKED,
  VM_READ,
  VM_WRITE,
  type Vma,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { resetBloomFilter, testBloomFilter, updateBloomFilter } from "../../src/index.ts";
import { FILE, Machine, PMD, PUD, REGION, subscribe } from "../machine.ts";
import { mapPmd, mapPtes, pmd, ptes, setPmdYoung } from "../mapping.ts";
import { walkMm } from "../walk.ts";

const ANON = PG_SWAPBACKED;
const RW = VM_READ | VM_WRITE;

/** One VMA of `units` times 2 MiB at the beginning of a PMD table. */
function region(units: number, m = new Machine()): { m: Machine; mm: Mm; vma: Vma } {
  const vma = m.vma(m.mm(), REGION, units * PMD);
  return { m, mm: vma.mm, vma };
}

/** Order-0 anon folios in the first PTEs of unit `unit`. */
function fill(m: Machine, vma: Vma, unit: number, letters: string): void {
  for (const [i, letter] of letters.split("").entries()) {
    mapPtes(m.memory, vma, REGION + unit * PMD + i, m.onList(1, ANON | PG_REFERENCED), letter);
  }
}

function huge(m: Machine, vma: Vma, unit: number, letter: string, flags = ANON): number {
  const folio = m.onList(1, flags, 9);
  mapPmd(m.memory, vma, REGION + unit * PMD, folio, letter);
  return folio;
}

const slotOf = (m: Machine, mm: Mm, unit: number): number =>
  m.memory.pageTables.pmdSlot(mm.pgd, REGION + unit * PMD);

/** The PMD entries of the first units, in letters. */
const entries = (m: Machine, mm: Mm, units: number): string =>
  Array.from({ length: units }, (_, unit) => pmd(m.memory, mm, REGION + unit * PMD)).join("");

describe("what a PMD entry counts as (PMD-01)", () => {
  test("an absent one is one leaf, whatever it could map", () => {
    const { m, mm, vma } = region(4);
    fill(m, vma, 3, "y");
    expect(walkMm(m, mm, { force: true })).toEqual([3 + 512, 1, 1, 0]);
  });

  test("a huge zero page is one leaf and stays young", () => {
    const { m, mm } = region(1);
    m.memory.pageTables.makePmdSlot(mm.pgd, REGION);
    m.memory.pageTables.entries[slotOf(m, mm, 0)] = 0b11_0101;
    expect([walkMm(m, mm), pmd(m.memory, mm, REGION)]).toEqual([[1, 0, 0, 0], "z"]);
  });

  test("a 2 MiB folio is one leaf, and one young leaf if it is young (PMD-05)", () => {
    const { m, mm, vma } = region(2);
    const folios = [huge(m, vma, 0, "y"), huge(m, vma, 1, "o")];
    expect([walkMm(m, mm), entries(m, mm, 2)]).toEqual([[2, 1, 0, 0], "oo"]);
    expect(folios.map((folio) => m.state(folio))).toEqual(["gen 1 R", "gen 1"]);
  });

  test("a PTE table is not counted itself, but as found, and as added when worth it", () => {
    const { m, mm, vma } = region(2);
    fill(m, vma, 0, "y".repeat(64));
    fill(m, vma, 1, "y".repeat(63));
    expect(walkMm(m, mm)).toEqual([1024, 127, 2, 1]);
    expect([0, 1].map((unit) => testBloomFilter(m.lruvec.mmState, 4, slotOf(m, mm, unit)))).toEqual(
      [true, true],
    );
  });
});

describe("PMD entries that are no leaves (PMD-01, PMD-05)", () => {
  test("an old one is not counted, its table not walked", () => {
    const { m, mm, vma } = region(2);
    fill(m, vma, 0, "y");
    fill(m, vma, 1, "y");
    setPmdYoung(m.memory, mm, REGION, false);
    expect(walkMm(m, mm)).toEqual([512, 1, 1, 0]);
    expect([ptes(m.memory, mm, REGION, 1), ptes(m.memory, mm, REGION + PMD, 1)]).toEqual([
      "y",
      "o",
    ]);
  });

  test("a young one is made old, so that an idle table is skipped from then on", () => {
    const { m, mm, vma } = region(1);
    fill(m, vma, 0, "y");
    expect(walkMm(m, mm)[2]).toBe(1);
    expect([pmd(m.memory, mm, REGION), walkMm(m, mm)]).toEqual(["o", [0, 0, 0, 0]]);
  });

  test.each([
    ["under force", { force: true }, true, false],
    ["when the capability is off", {}, false, false],
    ["with a secondary MMU (S2-POST-03)", {}, true, true],
  ] as const)(
    "are walked old or young, and stay as they are, %s",
    (_name, options, cap, notified) => {
      const { m, mm, vma } = region(2);
      fill(m, vma, 0, "y");
      fill(m, vma, 1, "y");
      setPmdYoung(m.memory, mm, REGION, false);
      m.policy.caps.nonleafYoung = cap;
      if (notified) subscribe(mm);
      expect([walkMm(m, mm, options)[2], entries(m, mm, 2)]).toEqual([2, "oy"]);
    },
  );
});

/** Two young tables, of which the filter knows the second. */
function filtered(): { m: Machine; mm: Mm } {
  const { m, mm, vma } = region(2);
  for (const unit of [0, 1]) fill(m, vma, unit, "y".repeat(64));
  resetBloomFilter(m.lruvec.mmState, 3);
  resetBloomFilter(m.lruvec.mmState, 4);
  updateBloomFilter(m.lruvec.mmState, 3, slotOf(m, mm, 1));
  return { m, mm };
}

describe("the Bloom filter chooses PTE tables (PMD-01, BLOOM-05)", () => {
  test("tests the walk's own generation and remembers for the next", () => {
    const { m, mm } = filtered();
    expect(walkMm(m, mm)).toEqual([512, 64, 1, 1]);
    const remembered = [0, 1].map((unit) =>
      testBloomFilter(m.lruvec.mmState, 4, slotOf(m, mm, unit)),
    );
    expect(remembered).toEqual([false, true]);
  });

  test("a table left out keeps its young PTEs, though its PMD entry is made old", () => {
    const { m, mm } = filtered();
    walkMm(m, mm);
    expect([entries(m, mm, 2), ptes(m.memory, mm, REGION, 1)]).toEqual(["oo", "y"]);
  });

  test("is not asked under force (MINV-33)", () => {
    const { m, mm } = filtered();
    expect(walkMm(m, mm, { force: true })).toEqual([1024, 128, 2, 2]);
  });

  test("alone decides with a secondary MMU (S2-POST-03)", () => {
    const { m, mm } = filtered();
    subscribe(mm);
    setPmdYoung(m.memory, mm, REGION + PMD, false);
    expect(walkMm(m, mm)).toEqual([512, 64, 1, 1]);
  });
});

describe("2 MiB folios", () => {
  test.each([
    ["referenced anon", ANON | PG_REFERENCED, RW, "y", "gen 3 W"],
    ["an executable file", 0, RW | VM_EXEC, "y", "gen 3 W"],
    ["a file written to", 0, RW, "Y", "gen 1 R D"],
    ["a clean file", 0, RW, "y", "gen 1 R"],
    ["an old one that is dirty", 0, RW, "O", "gen 1"],
  ] as const)(
    "are promoted as others are: %s (PMD-05, PROMO-01)",
    (_name, flags, vm, letter, expected) => {
      const m = new Machine();
      const vma = m.vma(m.mm(), REGION, PMD, vm, FILE);
      const folio = huge(m, vma, 0, letter, flags);
      walkMm(m, vma.mm);
      expect(m.state(folio)).toBe(expected);
    },
  );

  test("sizes are in pages (SZB-01)", () => {
    const { m, mm, vma } = region(1);
    huge(m, vma, 0, "y", ANON | PG_REFERENCED);
    walkMm(m, mm);
    expect([m.pages(1), m.pages(3)]).toEqual([0, 512]);
  });

  test("off the lists or of another memcg they stay young (PMD-05, PTE-06)", () => {
    const { m, mm, vma } = region(2);
    m.isolate(huge(m, vma, 0, "y"));
    const foreign = m.add(m.folio(ANON, 9, m.memory.root));
    mapPmd(m.memory, vma, REGION + PMD, foreign, "y");
    expect([walkMm(m, mm), entries(m, mm, 2)]).toEqual([[2, 0, 0, 0], "yy"]);
  });

  test("of another node they stay young (PMD-05, PTE-06)", () => {
    const nodes = [...singleNode(1024), ...singleNode(1024)];
    const { m, mm, vma } = region(1, new Machine({ nodes }));
    const folio = m.add(m.folio(ANON, 9));
    mapPmd(m.memory, vma, REGION, folio, "y");
    const other = m.memcg.lruvecs[1]!;
    expect([walkMm(m, mm, { lruvec: other }), entries(m, mm, 1)]).toEqual([[1, 0, 0, 0], "y"]);
  });

  test("a secondary MMU is asked about 2 MiB, and its word counts (PMD-03, PMD-05)", () => {
    const { m, mm, vma } = region(3);
    const folios = [huge(m, vma, 0, "o"), huge(m, vma, 1, "y")];
    const notifier = subscribe(mm);
    notifier.young.add(REGION + 300);
    expect(walkMm(m, mm)).toEqual([3, 2, 0, 0]);
    expect(folios.map((folio) => m.state(folio))).toEqual(["gen 1 R", "gen 1 R"]);
    expect(notifier.cleared).toEqual([
      [REGION, REGION + PMD],
      [REGION + PMD, REGION + 2 * PMD],
    ]);
  });

  test("mapped twice in a row is one observation, in two address spaces two (PROMO-05)", () => {
    const { m, mm, vma } = region(2);
    const folio = huge(m, vma, 0, "y");
    mapPmd(m.memory, vma, REGION + PMD, folio, "y");
    expect([walkMm(m, mm)[1], m.state(folio)]).toEqual([2, "gen 1 R"]);
    const other = m.vma(m.mm(), REGION, PMD);
    mapPmd(m.memory, other, REGION, folio, "y");
    walkMm(m, other.mm);
    expect(m.state(folio)).toBe("gen 3 W");
  });

  test("what belongs to the first VMA of an entry is not seen again from the second", () => {
    const m = new Machine();
    const vma = m.vma(m.mm(), REGION, 100);
    m.vma(vma.mm, REGION + 200, 2 * PMD - 200);
    expect(walkMm(m, vma.mm)).toEqual([0, 0, 0, 0]);
    huge(m, vma, 0, "y");
    expect(walkMm(m, vma.mm)).toEqual([2, 1, 0, 0]);
  });
});

/**
 * One order-9 folio is mapped by all of the given units. How often it is observed tells in which order
 * the entries are processed, as a second folio at `foreign` cuts runs in two.
 */
function order(units: readonly number[], foreign: readonly number[]): string {
  const { m, mm, vma } = region(200);
  const [folio, other] = [m.onList(1, ANON, 9), m.onList(1, ANON, 9)];
  for (const unit of units) {
    mapPmd(m.memory, vma, REGION + unit * PMD, foreign.includes(unit) ? other : folio, "y");
  }
  walkMm(m, mm);
  return m.state(folio);
}

describe("the batch of entries under the PMD lock (PMD-04)", () => {
  test("goes through its entries in ascending order", () => {
    expect(order([0, 1, 2], [2])).toBe("gen 1 R");
    expect(order([0, 1, 2], [1])).toBe("gen 3 W");
  });

  test("reaches 64 entries behind its first; the last one of these is in it", () => {
    // All in one batch: folio, folio, other.
    expect(order([10, 40, 74], [74])).toBe("gen 1 R");
  });

  test("takes one that is farther first, and starts over behind it", () => {
    // The far entry 75 comes before 10 and 40: other, folio, folio.
    expect(order([10, 40, 75], [75])).toBe("gen 1 R");
    // Far entry first: folio (75), other (10), folio (40). In ascending order it would be one run.
    expect(order([10, 40, 75], [10])).toBe("gen 3 W");
    // The next batch begins with 76, so that 140 is in it and 141 is far.
    expect(order([10, 75, 76, 100, 140], [10, 75, 76])).toBe("gen 1 R");
    expect(order([10, 75, 76, 100, 141], [10, 75, 76])).toBe("gen 3 W");
  });

  test("clears the young bits of table entries, near and far", () => {
    const { m, mm, vma } = region(200);
    for (const unit of [0, 1, 64, 65, 130, 199]) fill(m, vma, unit, "y");
    walkMm(m, mm);
    const left = [0, 1, 64, 65, 130, 199].map((unit) => pmd(m.memory, mm, REGION + unit * PMD));
    expect(left.join("")).toBe("oooooo");
  });

  test("is processed at the end of every range: a folio of two VMAs is observed twice (PMD-02)", () => {
    const m = new Machine();
    const vma = m.vma(m.mm(), REGION, PMD);
    const next = m.vma(vma.mm, REGION + PMD, PMD);
    const folio = huge(m, vma, 0, "y");
    mapPmd(m.memory, next, REGION + PMD, folio, "y");
    walkMm(m, vma.mm);
    expect(m.state(folio)).toBe("gen 3 W");
  });

  test("keeps the exec bit of its own range (PMD-02)", () => {
    const m = new Machine();
    const mm = m.mm();
    const folios = [VM_READ, VM_READ | VM_EXEC].map((flags, i) => {
      const vma = m.vma(mm, REGION + i * PMD, PMD, flags, FILE);
      return huge(m, vma, i, "y", 0);
    });
    walkMm(m, mm);
    expect(folios.map((folio) => m.state(folio))).toEqual(["gen 1 R", "gen 3 W"]);
  });
});

describe("several VMAs below one PMD table (PMD-02, WALK-04)", () => {
  test("share the tables at their borders and are walked once each", () => {
    const m = new Machine();
    const mm = m.mm();
    const vmas = [
      m.vma(mm, REGION + 500, 30),
      m.vma(mm, REGION + 600, 10, RW | VM_LOCKED),
      m.vma(mm, REGION + 700, 3 * PMD - 700),
    ];
    for (const vma of vmas) {
      for (const vpn of [vma.start, vma.end - 1]) {
        mapPtes(m.memory, vma, vpn, m.onList(1, ANON | PG_REFERENCED), "y");
      }
    }
    // PTEs of the first VMA, then of the third in the table they share and in the last one.
    expect(walkMm(m, mm, { force: true })).toEqual([12 + 18 + (1024 - 700) + 512, 4, 3, 0]);
    expect(ptes(m.memory, mm, REGION + 600, 1) + ptes(m.memory, mm, REGION + 609, 1)).toBe("yy");
  });

  test("a table that is left out is left out for all of them", () => {
    const m = new Machine();
    const vma = m.vma(m.mm(), REGION, 10);
    const next = m.vma(vma.mm, REGION + 20, PMD);
    fill(m, vma, 0, "y");
    for (const vpn of [REGION + 20, REGION + PMD]) mapPtes(m.memory, next, vpn, m.onList(1), "y");
    setPmdYoung(m.memory, vma.mm, REGION, false);
    expect(walkMm(m, vma.mm)).toEqual([20, 1, 1, 0]);
    expect(ptes(m.memory, vma.mm, REGION, 21)).toBe(`y${".".repeat(19)}y`);
  });

  test("the last entry of the table is the last: the next table is the next level's", () => {
    const m = new Machine();
    const end = REGION + PUD;
    const vma = m.vma(m.mm(), end - 10, 5);
    const next = m.vma(vma.mm, end - 3, 3 + PMD);
    mapPtes(m.memory, vma, end - 10, m.onList(1), "y");
    for (const vpn of [end - 1, end]) mapPtes(m.memory, next, vpn, m.onList(1), "y");
    expect(walkMm(m, vma.mm)).toEqual([5 + 3 + 512, 3, 2, 1]);
  });
});
