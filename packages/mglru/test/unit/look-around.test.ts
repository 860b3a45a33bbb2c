import {
  type FolioMapping,
  LRU_REFS_PGOFF,
  type Mm,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  VM_EXEC,
  VM_IO,
  VM_READ,
  VM_WRITE,
  type Vma,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import {
  LookAround,
  LruGenMmWalk,
  Promotion,
  PteWalk,
  References,
  testBloomFilter,
} from "../../src/index.ts";
import { FILE, Machine, PMD, REGION, subscribe } from "../machine.ts";
import { mapPtes, ptes } from "../mapping.ts";

const RW = VM_READ | VM_WRITE;
/** A folio as a page fault leaves it. */
const FAULTED = PG_SWAPBACKED | PG_REFERENCED;

/** A VMA of order-0 folios, one of which is isolated and under test. */
class Neighbourhood {
  readonly m = new Machine();
  readonly mm: Mm;
  readonly vma: Vma;
  readonly folios: number[] = [];
  readonly around: LookAround;

  constructor(letters: string, flags = FAULTED, vmaFlags = RW, start: number = REGION) {
    const { m } = this;
    this.mm = m.mm();
    const file = flags & PG_SWAPBACKED ? null : FILE;
    this.vma = m.vma(this.mm, start, letters.length, vmaFlags, file);
    for (const [i, letter] of letters.split("").entries()) {
      const folio = m.add(m.folio(flags));
      this.folios.push(folio);
      mapPtes(m.memory, this.vma, start + i, folio, letter);
    }
    const promotion = new Promotion(m.memory);
    this.around = new LookAround(
      m.memory,
      new PteWalk(m.memory, promotion),
      promotion,
      new References(m.memory),
    );
  }

  /** Isolates page `at` of the VMA and tests it. */
  test(at: number): boolean {
    this.m.isolate(this.folios[at]!);
    return this.around.lookAround(this.m.cpu, this.folios[at]!, this.mapping(at));
  }

  mapping(at: number, nr = 1): FolioMapping {
    const { pageTables } = this.m.memory;
    const vpn = this.vma.start + at;
    return {
      mm: this.mm,
      vma: this.vma,
      vpn,
      slot: pageTables.pteSlot(this.mm.pgd, vpn),
      pmdSlot: pageTables.pmdSlot(this.mm.pgd, vpn),
      nr,
    };
  }

  get letters(): string {
    return ptes(this.m.memory, this.mm, this.vma.start, this.folios.length);
  }
}

describe("lookAround", () => {
  test("does nothing around a PTE that is old (LOOK-03 step 1)", () => {
    const n = new Neighbourhood("yoy");
    expect([n.test(1), n.letters]).toEqual([false, "yoy"]);
  });

  test("makes the young neighbours old too (LOOK-03 steps 1 and 6)", () => {
    const n = new Neighbourhood("yyoy");
    expect([n.test(1), n.letters]).toEqual([true, "oooo"]);
  });

  test("stays inside the VMA's flags: a special one is not looked around in (LOOK-03 step 2)", () => {
    const n = new Neighbourhood("yyy", FAULTED, RW | VM_IO);
    expect([n.test(1), n.letters]).toEqual([true, "yoy"]);
  });

  test.each([
    [0, 0, 64],
    [31, 0, 64],
    [32, 0, 64],
    [33, 1, 65],
    [100, 68, 132],
    [168, 136, 200],
    [169, 136, 200],
    [199, 136, 200],
  ])("at page %i of 200 looks at [%i, %i) (LOOK-03 step 4)", (at, from, to) => {
    const n = new Neighbourhood("y".repeat(200));
    n.test(at);
    const expected = "y".repeat(from) + "o".repeat(to - from) + "y".repeat(200 - to);
    expect(n.letters).toBe(expected);
  });

  test("never crosses the page table (LOOK-03 step 3)", () => {
    const n = new Neighbourhood("y".repeat(20), FAULTED, RW, REGION + PMD - 10);
    n.test(9);
    expect(n.letters).toBe("o".repeat(10) + "y".repeat(10));
  });

  test("of a large folio clears all PTEs of its batch (LOOK-03 step 1)", () => {
    const n = new Neighbourhood("");
    const { m } = n;
    const folio = m.add(m.folio(FAULTED, 2));
    n.vma.end += 4;
    mapPtes(m.memory, n.vma, REGION, folio, "ooyo");
    m.isolate(folio);
    expect(n.around.lookAround(m.cpu, folio, n.mapping(0, 4))).toBe(true);
    expect(ptes(m.memory, n.mm, REGION, 4)).toBe("oooo");
  });

  test("secondary MMUs are asked in the same ranges (LOOK-03 steps 1 and 6, RMAP-20)", () => {
    const n = new Neighbourhood("ooo");
    const notifier = subscribe(n.mm);
    notifier.young.add(REGION + 1);
    expect(n.test(1)).toBe(true);
    expect(notifier.cleared).toEqual([
      [REGION + 1, REGION + 2],
      [REGION, REGION + 1],
      [REGION + 2, REGION + 3],
    ]);
  });

  test("leaves folios alone that are on no list of this lruvec (PTE-06, LOOK-04)", () => {
    const n = new Neighbourhood("yyy");
    n.m.isolate(n.folios[0]!);
    n.m.memory.folios.memcg[n.folios[2]!] = n.m.memory.root.index;
    n.test(1);
    expect([n.letters, n.m.batches.activated]).toEqual(["yoy", []]);
  });

  test("remembers a table where an eighth of the window was young (LOOK-03 step 7, BLOOM-05)", () => {
    const remembered = ["yyyyyyy", "yyyyyyyo"].map((young) => {
      const n = new Neighbourhood(young.padEnd(64, "o"));
      n.m.age(); // the filter of max_seq exists from now on
      for (const [i, letter] of young.split("").entries()) {
        if (letter !== "y") continue;
        mapPtes(n.m.memory, n.vma, REGION + i, n.folios[i]!, "y");
      }
      mapPtes(n.m.memory, n.vma, REGION + 60, n.folios[60]!, young.length === 8 ? "y" : "o");
      n.m.lruvec.mmState.filters[n.m.lruvec.lrugen.maxSeq % 2]!.fill(0);
      n.test(0);
      return testBloomFilter(n.m.lruvec.mmState, n.m.lruvec.lrugen.maxSeq, n.mapping(0).pmdSlot);
    });
    expect(remembered).toEqual([false, true]);
  });

  test("counts no statistics of walks (LOOK-06)", () => {
    const n = new Neighbourhood("yyy");
    n.test(1);
    expect(n.m.stats).toEqual([0, 0, 0, 0]);
  });
});

describe("promotion around the folio", () => {
  test("without a walk structure: one more access, and activation through the batch (LOOK-05, LOOK-05b)", () => {
    const n = new Neighbourhood("yy");
    n.test(1);
    expect([n.m.state(n.folios[0]!), n.m.batches.activated]).toEqual(["gen 2 R r1", [n.folios[0]]]);
  });

  test("a folio that was accessed twice joins the working set (REF-10, LOOK-05b)", () => {
    const n = new Neighbourhood("yy", FAULTED | (1 << LRU_REFS_PGOFF));
    n.test(1);
    expect(n.m.state(n.folios[0]!)).toBe("gen 2 W");
  });

  test("one never seen before is only marked (REF-10)", () => {
    const n = new Neighbourhood("yy", PG_SWAPBACKED);
    n.test(1);
    expect([n.m.state(n.folios[0]!), n.m.batches.activated]).toEqual(["gen 2 R", []]);
  });

  test("unless it is executable file memory (REF-10, REF-11)", () => {
    const n = new Neighbourhood("yy", 0, VM_READ | VM_EXEC);
    n.test(1);
    expect([n.m.state(n.folios[0]!), n.m.batches.activated]).toEqual(["gen 0 W", [n.folios[0]]]);
  });

  test("one of the youngest generation is not activated (PROMO-01)", () => {
    const n = new Neighbourhood("yy", FAULTED | PG_WORKINGSET);
    n.m.setGen(n.folios[0]!, 3);
    n.test(1);
    expect(n.m.batches.activated).toEqual([]);
    n.m.setGen(n.folios[0]!, 2);
  });

  test("a dirty PTE makes the folio dirty where the walk would (PROMO-01)", () => {
    const dirty = [0, PG_SWAPBACKED].map((type) => {
      const n = new Neighbourhood("YY", type | PG_REFERENCED);
      n.test(1);
      return n.m.state(n.folios[0]!);
    });
    expect(dirty).toEqual(["gen 1 R D r1", "gen 2 R r1"]);
  });

  test("with one: in place, to the youngest generation, its size pending (LOOK-05, PROMO-02)", () => {
    const n = new Neighbourhood("yyyy");
    n.around.walk = new LruGenMmWalk();
    n.test(1);
    expect(n.folios.map((folio) => n.m.state(folio))).toEqual([
      "gen 3 W",
      "gen -1 R A",
      "gen 3 W",
      "gen 3 W",
    ]);
    expect([n.around.walk.batched, n.m.batches.activated, n.m.pages(2)]).toEqual([3, [], 3]);
  });

  test("the policy uses no walk structure outside of eviction", () => {
    const n = new Neighbourhood("yy");
    n.m.isolate(n.folios[1]!);
    expect(n.m.policy.lookAround(n.m.cpu, n.folios[1]!, n.mapping(1))).toBe(true);
    expect(n.m.batches.activated).toEqual([n.folios[0]]);
  });
});
