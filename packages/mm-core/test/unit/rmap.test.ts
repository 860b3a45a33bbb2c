import { describe, expect, test } from "vitest";
import {
  type FolioTable,
  type Memory,
  PG_ANON_EXCLUSIVE,
  PG_SWAPBACKED,
  VM_WRITE,
  Vma,
} from "../../src/index.ts";
import { listMachine } from "../machine.ts";

/** A VMA of `pages` pages from 4096 in an address space of its own. */
function newVma(memory: Memory, start = 4096, pages = 1024): Vma {
  const mm = memory.createMm(memory.root);
  const vma = new Vma(mm, start, start + pages, VM_WRITE);
  mm.insertVma(vma);
  return vma;
}

/** [all mappings, PMD mappings, pages mapped by PTEs] of a large folio (FOL-12). */
function counts(folios: FolioTable, folio: number): number[] {
  return [folios.mapcountOf(folio), folios.entireMapcountOf(folio), folios.nrPagesMappedOf(folio)];
}

/** How many pages of a folio are flagged exclusive. */
function exclusivePages(folios: FolioTable, folio: number): number {
  const pages = folios.flags.subarray(folio, folio + folios.nrPagesOf(folio));
  return pages.filter((word) => word & PG_ANON_EXCLUSIVE).length;
}

function fresh(order: number, pmdMapped: boolean): { memory: Memory; vma: Vma; folio: number } {
  const { memory } = listMachine();
  const vma = newVma(memory);
  const folio = memory.allocFolio(order, memory.root);
  memory.rmap.addNewAnon(folio, vma, 4096, pmdMapped);
  return { memory, vma, folio };
}

describe("a new anon folio (FLT-13)", () => {
  test.each([
    [0, false],
    [2, false],
    [9, true],
  ])("of order %i belongs to the anon_vma of its VMA", (order, pmdMapped) => {
    const { memory, vma, folio } = fresh(order, pmdMapped);
    expect(memory.folios.mapping[folio]).toBe(vma.anonVma!.id * 2 + 1);
    expect(memory.folios.index[folio]).toBe(4096);
    expect(memory.folios.flags[folio]! & PG_SWAPBACKED).toBe(PG_SWAPBACKED);
  });

  test("of one page is mapped once, exclusively", () => {
    const { memory, folio } = fresh(0, false);
    expect(memory.folios.mapcountOf(folio)).toBe(1);
    expect(exclusivePages(memory.folios, folio)).toBe(1);
  });

  test.each([2, 4, 9])("of order %i mapped by PTEs has every page mapped, exclusively", (order) => {
    const { memory, folio } = fresh(order, false);
    const pages = 1 << order;
    expect(counts(memory.folios, folio)).toEqual([pages, 0, pages]);
    expect([...memory.folios.mapcount.subarray(folio, folio + pages)]).toEqual(
      Array.from({ length: pages }, () => 1),
    );
    expect(exclusivePages(memory.folios, folio)).toBe(pages);
  });

  test("mapped by a PMD counts one mapping and no page (FOL-12)", () => {
    const { memory, folio } = fresh(9, true);
    expect(counts(memory.folios, folio)).toEqual([1, 1, 0]);
    expect(exclusivePages(memory.folios, folio)).toBe(1);
  });
});

describe("PTE mappings", () => {
  test("of a small folio are counted on its page", () => {
    const { memory, folio } = fresh(0, false);
    memory.rmap.addPtes(folio, folio, 1);
    expect(memory.folios.mapcountOf(folio)).toBe(2);
    memory.rmap.removePtes(folio, folio, 1);
    memory.rmap.removePtes(folio, folio, 1);
    expect(memory.folios.mapcountOf(folio)).toBe(0);
  });

  test("of a large folio are counted in all and by page; pages count once (FOL-12)", () => {
    const { memory, folio } = fresh(3, false);
    memory.rmap.addPtes(folio, folio + 2, 3);
    expect(counts(memory.folios, folio)).toEqual([11, 0, 8]);
    expect([...memory.folios.mapcount.subarray(folio, folio + 8)]).toEqual([
      1, 1, 2, 2, 2, 1, 1, 1,
    ]);
  });

  test("that go leave a partly mapped folio (FOL-13)", () => {
    const { memory, folio } = fresh(3, false);
    memory.rmap.removePtes(folio, folio, 5);
    expect(counts(memory.folios, folio)).toEqual([3, 0, 3]);
    memory.rmap.removePtes(folio, folio + 5, 3);
    expect(counts(memory.folios, folio)).toEqual([0, 0, 0]);
  });

  test("that come back to an unmapped page count it again", () => {
    const { memory, folio } = fresh(2, false);
    memory.rmap.removePtes(folio, folio, 4);
    memory.rmap.addPtes(folio, folio + 1, 2);
    expect(counts(memory.folios, folio)).toEqual([2, 0, 2]);
  });
});

describe("PMD mappings (FOL-12)", () => {
  test("count one each in all mappings", () => {
    const { memory, folio } = fresh(9, true);
    memory.rmap.addPmd(folio);
    expect(counts(memory.folios, folio)).toEqual([2, 2, 0]);
    memory.rmap.removePmd(folio);
    memory.rmap.removePmd(folio);
    expect(counts(memory.folios, folio)).toEqual([0, 0, 0]);
  });

  test("and PTE mappings of one folio are counted side by side", () => {
    const { memory, folio } = fresh(9, true);
    memory.rmap.addPtes(folio, folio + 10, 2);
    expect(counts(memory.folios, folio)).toEqual([3, 1, 2]);
    memory.rmap.removePmd(folio);
    expect(counts(memory.folios, folio)).toEqual([2, 0, 2]);
  });
});

describe("splitPmd (PT-16)", () => {
  test("turns a PMD mapping into 512 PTE mappings and passes exclusivity to every page", () => {
    const { memory, folio } = fresh(9, true);
    memory.rmap.splitPmd(folio);
    expect(counts(memory.folios, folio)).toEqual([512, 0, 512]);
    expect(exclusivePages(memory.folios, folio)).toBe(512);
  });

  test("of one of two PMD mappings leaves the other", () => {
    const { memory, folio } = fresh(9, true);
    memory.rmap.addPmd(folio);
    memory.folios.flags[folio]! &= ~PG_ANON_EXCLUSIVE; // fork takes it away
    memory.rmap.splitPmd(folio);
    expect(counts(memory.folios, folio)).toEqual([513, 1, 512]);
    expect(exclusivePages(memory.folios, folio)).toBe(0);
    memory.rmap.splitPmd(folio);
    expect(counts(memory.folios, folio)).toEqual([1024, 0, 512]);
  });
});

describe("anonVmasOf (RMAP-01)", () => {
  test("finds the VMAs of parent and child, by address space and address", () => {
    const { memory, vma, folio } = fresh(0, false);
    const child = newVma(memory);
    memory.anonVmas.fork(vma, child);
    expect(memory.rmap.anonVmasOf(folio)).toEqual([vma, child]);
  });

  test("leaves out VMAs of the anon_vma that do not reach the folio's pages", () => {
    const { memory, vma, folio } = fresh(2, false);
    vma.end = 4098;
    const half = new Vma(vma.mm, 4098, 5120, VM_WRITE);
    memory.anonVmas.clone(vma, half);
    const rest = new Vma(vma.mm, 4100, 5120, VM_WRITE);
    memory.anonVmas.clone(vma, rest);
    expect(memory.rmap.anonVmasOf(folio)).toEqual([vma, half]);
  });

  test("finds nothing once the last VMA is gone, nor for a file folio", () => {
    const { memory, vma, folio } = fresh(0, false);
    memory.anonVmas.unlink(vma);
    expect(memory.rmap.anonVmasOf(folio)).toEqual([]);
    memory.anonVmas.prepare(vma);
    memory.folios.mapping[folio] = vma.anonVma!.id * 2;
    expect(memory.rmap.anonVmasOf(folio)).toEqual([]);
  });
});
