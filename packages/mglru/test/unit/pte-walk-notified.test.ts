import { PG_REFERENCED, PG_SWAPBACKED, VM_EXEC, VM_READ } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { type FakeNotifier, FILE, Machine, REGION, subscribe } from "../machine.ts";
import { mapPtes } from "../mapping.ts";
import { Table } from "../pte-table.ts";
import { walkMm } from "../walk.ts";

const ANON = PG_SWAPBACKED;

function notified(letters: string): { t: Table; notifier: FakeNotifier; folios: number[] } {
  const t = new Table();
  const folios = t.anon(0, letters, PG_REFERENCED);
  return { t, notifier: subscribe(t.mm), folios };
}

describe("a secondary MMU (PTE-04, PTE-05, S2-POST-02)", () => {
  test("makes a page young that is old in the page table", () => {
    const { t, notifier, folios } = notified("oo");
    notifier.young.add(REGION + 1);
    expect([t.walk()[1], t.read(0, 2)]).toEqual([1, "oo"]);
    expect(folios.map((folio) => t.m.state(folio))).toEqual(["gen 1 R", "gen 3 W"]);
    expect(notifier.young.size).toBe(0);
  });

  test("is asked about every mapped page of the memcg, young or not, and about no other", () => {
    const { t, notifier } = notified("yo.o");
    t.map(6, 0, "z");
    t.map(7, t.m.add(t.m.folio(ANON, 0, t.m.memory.root)), "y");
    t.walk();
    expect(notifier.cleared).toEqual([0, 1, 3].map((at) => [REGION + at, REGION + at + 1]));
    expect(t.read(0, 8)).toBe("oo.o..zy");
  });

  test("both sides are cleared even when one alone would do", () => {
    const { t, notifier, folios } = notified("y");
    notifier.young.add(REGION);
    expect([t.walk()[1], t.read(0, 1), notifier.young.size]).toEqual([1, "o", 0]);
    expect(t.m.state(folios[0]!)).toBe("gen 3 W");
  });

  test("is asked once for a batch, which then is young as a whole", () => {
    const t = new Table();
    const notifier = subscribe(t.mm);
    const folio = t.m.onList(1, ANON, 3);
    t.map(8, folio, "ooooOooo");
    notifier.young.add(REGION + 13);
    expect([t.walk()[1], notifier.cleared]).toEqual([8, [[REGION + 8, REGION + 16]]]);
    expect(t.m.state(folio)).toBe("gen 1 R");
  });

  test("a batch that is old on both sides is no observation", () => {
    const t = new Table();
    subscribe(t.mm);
    const [a, b] = [t.m.onList(1, ANON, 1), t.m.onList(0, 0, 1)];
    t.map(0, a, "yy");
    t.map(2, b, "OO");
    t.map(4, a, "yy");
    t.walk();
    expect([t.m.state(a), t.m.state(b)]).toEqual(["gen 1 R", "gen 0"]);
  });

  test("dirty is what the page table says (PTE-04)", () => {
    const t = new Table();
    const notifier = subscribe(t.mm);
    const folios = ["o", "O", "o"].map((letter, i) => {
      const folio = t.m.onList(0, 0);
      t.map(i, folio, letter);
      notifier.young.add(REGION + i);
      return folio;
    });
    t.walk();
    const states = folios.map((folio) => t.m.state(folio));
    expect(states).toEqual(["gen 0 R", "gen 0 R D", "gen 0 R"]);
  });

  test("once there was one, all mapped PTEs are looked at, with nobody left to ask (S2-OBS-03)", () => {
    const { t, folios } = notified("yo");
    t.mm.notifiers.length = 0;
    expect([t.walk()[1], t.read(0, 2)]).toEqual([1, "oo"]);
    expect(t.m.state(folios[1]!)).toBe("gen 1 R");
  });

  test("executable files and runs work as without one", () => {
    const m = new Machine();
    const vma = m.vma(m.mm(), REGION, 8, VM_READ | VM_EXEC, FILE);
    const notifier = subscribe(vma.mm);
    const folio = m.onList(0, 0);
    mapPtes(m.memory, vma, REGION, folio, "o");
    notifier.young.add(REGION);
    walkMm(m, vma.mm);
    expect(m.state(folio)).toBe("gen 3 W");
  });
});
