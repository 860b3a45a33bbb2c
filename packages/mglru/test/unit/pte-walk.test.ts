import {
  PG_REFERENCED,
  PG_SWAPBACKED,
  singleNode,
  VM_EXEC,
  VM_LOCKED,
  VM_READ,
  VM_WRITE,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { suitableToScan } from "../../src/index.ts";
import { FILE, Machine, PMD, REGION } from "../machine.ts";
import { mapPtes } from "../mapping.ts";
import { Table } from "../pte-table.ts";
import { walkMm } from "../walk.ts";

const ANON = PG_SWAPBACKED;

describe("a PTE table", () => {
  test("counts every PTE of its VMA, mapped or not (PTE-04)", () => {
    const t = new Table(new Machine(), 100);
    t.anon(10, "yo");
    expect(t.walk()).toEqual([100, 1, 1, 0]);
  });

  test("makes young PTEs old, dirty ones stay dirty (PTE-04, PTE-09)", () => {
    const t = new Table();
    t.anon(0, "yYoO");
    expect(t.walk()[1]).toBe(2);
    expect(t.read(0, 5)).toBe("oOoO.");
  });

  test("promotes what is young and leaves what is old (PTE-04, PROMO-01)", () => {
    const t = new Table();
    const folios = t.anon(0, "yoy", PG_REFERENCED);
    t.walk();
    expect(folios.map((folio) => t.m.state(folio))).toEqual(["gen 3 W", "gen 1 R", "gen 3 W"]);
    expect([t.m.pages(1), t.m.pages(3)]).toEqual([1, 2]);
  });

  test("promotes from every generation and type at once, each with its size (SZB-01)", () => {
    const t = new Table();
    const folios = [1, 2, 0, 1].map((seq, i) => t.m.onList(seq, ANON | PG_REFERENCED, i));
    const file = t.m.onList(1, PG_REFERENCED, 4);
    for (const [i, folio] of [...folios, file].entries()) t.map(32 * i, folio, "y".repeat(1 << i));
    t.walk();
    expect([0, 1, 2, 3].map((seq) => t.m.pages(seq))).toEqual([0, 0, 0, 1 + 2 + 4 + 8]);
    expect([0, 1, 2, 3].map((seq) => t.m.pages(seq, 1))).toEqual([0, 0, 0, 16]);
  });

  test("ignores the zero page, which stays young (PTE-05)", () => {
    const t = new Table();
    t.map(0, 0, "zz");
    expect([t.walk(), t.read(0, 2)]).toEqual([[512, 0, 1, 0], "zz"]);
  });
});

describe("whose folios count (PTE-06, MINV-30)", () => {
  test("those on a multi-gen list: an isolated or waiting folio keeps its young PTE", () => {
    const t = new Table();
    const [isolated, waiting] = [t.m.onList(1), t.m.folio(ANON)];
    t.map(0, isolated, "y");
    t.map(1, waiting, "y");
    t.m.isolate(isolated);
    expect([t.walk()[1], t.read(0, 2)]).toEqual([0, "yy"]);
  });

  test("those of the memcg that is aged", () => {
    const t = new Table();
    const foreign = t.m.add(t.m.folio(ANON, 0, t.m.memory.root));
    t.map(0, foreign, "y");
    expect([t.walk()[1], t.read(0, 1), t.m.state(foreign)]).toEqual([0, "y", "gen 2"]);
    const { lruvecs } = t.m.memory.root;
    expect(walkMm(t.m, t.mm, { force: true, lruvec: lruvecs[0]! })[1]).toBe(1);
    expect(t.read(0, 1)).toBe("o");
  });

  test("those of the node that is aged", () => {
    const t = new Table(new Machine({ nodes: [...singleNode(1024), ...singleNode(1024)] }));
    const near = t.m.add(t.m.folio(ANON));
    t.map(0, near, "y");
    while (t.m.memory.allocator.freePages[0]! > 0) t.m.memory.allocFolio(0, t.m.memcg);
    const far = t.m.add(t.m.folio(ANON));
    t.map(1, far, "y");
    expect(walkMm(t.m, t.mm, { force: true, lruvec: t.m.memcg.lruvecs[1]! })[1]).toBe(1);
    expect([t.read(0, 2), t.m.state(near), t.m.state(far)]).toEqual(["yo", "gen 2", "gen 2 R"]);
  });

  test("the same for large folios: of another memcg, or off the lists, they keep their young PTEs", () => {
    const t = new Table();
    const foreign = t.m.add(t.m.folio(ANON, 1, t.m.memory.root));
    const isolated = t.m.onList(1, ANON, 1);
    t.map(0, foreign, "yy");
    t.map(2, isolated, "yY");
    t.m.isolate(isolated);
    expect([t.walk(), t.read(0, 4)]).toEqual([[512, 0, 1, 0], "yyyY"]);
  });

  test("the swappiness is about VMAs, not folios: anon in a file mapping is aged with files", () => {
    const m = new Machine();
    const vma = m.vma(m.mm(), REGION, 4, VM_READ | VM_WRITE, FILE);
    const copied = m.onList(1, ANON);
    mapPtes(m.memory, vma, REGION, copied, "y");
    expect(walkMm(m, vma.mm, { swappiness: 0 })[1]).toBe(1);
    expect(m.state(copied)).toBe("gen 1 R");
  });
});

describe("an observation", () => {
  test("is a run of young PTEs of one folio, also with old ones between (PROMO-05, PTE-04)", () => {
    const t = new Table();
    const folio = t.m.onList(1, ANON, 2);
    t.map(0, folio, "yoyo");
    t.map(100, folio, "y", 3);
    t.walk();
    expect(t.m.state(folio)).toBe("gen 1 R");
  });

  test("is not cut by somebody else's young PTE, small or large (PTE-06)", () => {
    const t = new Table();
    const folio = t.m.onList(1);
    const { root } = t.m.memory;
    const foreign = [t.m.add(t.m.folio(ANON, 0, root)), t.m.add(t.m.folio(ANON, 1, root))];
    t.map(0, folio, "y");
    t.map(1, foreign[0]!, "y");
    t.map(2, folio, "y");
    t.map(3, foreign[1]!, "yy");
    t.map(5, folio, "y");
    t.walk();
    expect(t.m.state(folio)).toBe("gen 1 R");
  });

  test("ends where another folio is young: both sides count (PROMO-05)", () => {
    const t = new Table();
    const folio = t.m.onList(1);
    t.map(0, folio, "y");
    t.anon(1, "y");
    t.map(2, folio, "y");
    t.walk();
    expect(t.m.state(folio)).toBe("gen 3 W");
  });

  test("ends with the VMA (PTE-02)", () => {
    const t = new Table(new Machine(), 1);
    const folio = t.m.onList(1);
    const next = t.m.vma(t.mm, REGION + 1, 1);
    t.map(0, folio, "y");
    mapPtes(t.m.memory, next, REGION + 1, folio, "y");
    t.walk();
    expect(t.m.state(folio)).toBe("gen 3 W");
  });

  test("is executable as its own VMA is (PROMO-02, PTE-02)", () => {
    const m = new Machine();
    const mm = m.mm();
    const folios = [VM_READ, VM_READ | VM_EXEC].map((flags, i) => {
      const vma = m.vma(mm, REGION + 8 * i, 8, flags, FILE);
      const folio = m.onList(0, 0);
      mapPtes(m.memory, vma, vma.start, folio, "y");
      return folio;
    });
    walkMm(m, mm);
    expect(folios.map((folio) => m.state(folio))).toEqual(["gen 0 R", "gen 3 W"]);
  });

  test("is dirty when one of its young PTEs is, and only then (PTE-04)", () => {
    const t = new Table();
    const file = (): number => t.m.onList(0, 0, 2);
    const [a, b, c, d] = [file(), file(), file(), file()];
    t.map(0, a, "yyYy");
    t.map(4, b, "yyyy");
    t.map(8, c, "O");
    t.map(9, c, "y", 2);
    t.map(12, d, "yy.Y");
    t.walk();
    const states = [a, b, c, d].map((folio) => t.m.state(folio));
    expect(states).toEqual(["gen 0 R D", "gen 0 R", "gen 0 R", "gen 0 R D"]);
  });
});

const large = (letters: string, order = 3): { t: Table; folio: number } => {
  const t = new Table();
  const folio = t.m.onList(1, ANON, order);
  t.map(16, folio, letters);
  return { t, folio };
};

describe("a large folio (PTE-03, PTE-07)", () => {
  test.each([
    ["yyyyyyyy", 8, "oooooooo"],
    ["oooyoooo", 5, "oooooooo"],
    ["ooooooOY", 1, "ooooooOO"],
    ["oYoyOyoY", 7, "oOooOooO"],
    ["oooooooo", 0, "oooooooo"],
  ])("%s: one batch from the first young PTE on, %i counted as young", (letters, young, after) => {
    const { t } = large(letters);
    expect([t.walk(), t.read(16, 8)]).toEqual([[512, young, 1, 0], after]);
  });

  test("the batch ends at a hole, and what is young behind it is another", () => {
    const { t, folio } = large("oyo.oyoo");
    expect([t.walk()[1], t.read(16, 8)]).toEqual([2 + 3, "ooo.oooo"]);
    expect(t.m.state(folio)).toBe("gen 1 R");
  });

  test("the batch ends where the pages no longer follow each other", () => {
    const t = new Table();
    const folio = t.m.onList(1, ANON, 3);
    t.map(0, folio, "yo", 0);
    t.map(2, folio, "oo", 6);
    expect([t.walk()[1], t.read(0, 4)]).toEqual([2, "oooo"]);
  });

  test("the batch ends with the folio", () => {
    const t = new Table();
    const [a, b] = [t.m.onList(1, ANON, 1), t.m.onList(1, ANON, 1)];
    t.map(0, a, "yo");
    t.map(2, b, "oo");
    expect([t.walk()[1], t.m.state(a), t.m.state(b)]).toEqual([2, "gen 1 R", "gen 1"]);
  });

  test("the batch ends with the VMA, the rest is the next VMA's", () => {
    const t = new Table(new Machine(), 4);
    const folio = t.m.onList(1, ANON, 3);
    t.map(0, folio, "yooo");
    const next = t.m.vma(t.mm, REGION + 4, 4);
    mapPtes(t.m.memory, next, REGION + 4, folio, "oooo", 4);
    expect(t.walk()).toEqual([8, 4, 1, 1]);
    expect(t.m.state(folio)).toBe("gen 1 R");
  });

  test("the batch ends with the table: the next table's part is seen again (PROMO-05)", () => {
    const t = new Table(new Machine(), 2 * PMD);
    const folio = t.m.onList(1, ANON, 3);
    t.map(PMD - 4, folio, "yyyyyyyy");
    expect(t.walk()).toEqual([1024, 8, 2, 0]);
    expect([t.m.state(folio), t.m.pages(3)]).toEqual(["gen 3 W", 8]);
  });

  test("the batch is not cut by a different writable bit", () => {
    const { t } = large("yyYYyyYY");
    expect([t.walk()[1], t.read(16, 8)]).toEqual([8, "ooOOooOO"]);
  });
});

describe("worth another walk (PTE-08)", () => {
  test.each([
    [0, 0, true],
    [512, 63, false],
    [512, 64, true],
    [512, 512, true],
    [1, 0, false],
    [7, 1, true],
    [9, 1, false],
  ])("%i PTEs with %i young: %s", (total, young, suitable) => {
    expect(suitableToScan(total, young)).toBe(suitable);
  });

  test.each([
    [7, 0],
    [8, 1],
  ])("%i young PTEs of a 64-page VMA add %i tables", (young, added) => {
    const t = new Table(new Machine(), 64);
    t.anon(0, "y".repeat(young));
    expect(t.walk()[3]).toBe(added);
  });

  test("all VMAs of the table are counted together (PTE-02)", () => {
    const t = new Table(new Machine(), 8);
    t.m.vma(t.mm, REGION + 20, 8, VM_READ | VM_LOCKED);
    const far = t.m.vma(t.mm, REGION + 40, 56);
    t.anon(0, "yyyy");
    mapPtes(t.m.memory, far, REGION + 60, t.m.onList(1, ANON, 2), "yyyy");
    expect(t.walk()).toEqual([64, 8, 1, 1]);
  });
});
