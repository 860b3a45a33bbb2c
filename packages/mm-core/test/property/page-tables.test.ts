import fc from "fast-check";
import { expect, test } from "vitest";
import { ENTRY_LEAF, ENTRY_PRESENT, ENTRY_SHIFT, NO_ENTRY, PageTables } from "../../src/index.ts";
import { RUNS } from "./runs.ts";

const GIB = 262_144;
const PGDS = 2;

/** Pages around the boundaries of tables of every level, below and above page 2^32. */
const vpn = fc
  .tuple(
    fc.constantFrom(0, 511 * GIB, 512 * GIB, 2 ** 32, 2 ** 35 - 2 * GIB),
    fc.nat(1),
    fc.constantFrom(0, 1, 511),
    fc.constantFrom(0, 1, 2, 510, 511),
  )
  .map(([base, gib, pmd, pte]) => base + gib * GIB + pmd * 512 + pte);

const step = fc.record({
  op: fc.constantFrom("map", "map", "map", "unmap", "leaf", "freeTable"),
  pgd: fc.nat(PGDS - 1),
  vpn,
});

/** Page tables as one map from address space and page (or PMD) to what was stored there. */
class EntryMap {
  readonly ptes = new Map<string, number>();
  readonly leaves = new Set<string>();
  /** A name for each table that must exist. */
  readonly tables = new Set<string>();

  pmd(pgd: number, page: number): string {
    return `${pgd}:${Math.floor(page / 512)}`;
  }

  /** The path down to the PMD table exists. */
  reach(pgd: number, page: number): void {
    this.tables.add(`pud ${pgd}:${Math.floor(page / GIB / 512)}`);
    this.tables.add(`pmd ${pgd}:${Math.floor(page / GIB)}`);
  }

  hasPteTable(pgd: number, page: number): boolean {
    return this.tables.has(`pte ${this.pmd(pgd, page)}`);
  }

  dropPteTable(pgd: number, page: number): void {
    this.tables.delete(`pte ${this.pmd(pgd, page)}`);
    const first = page - (page % 512);
    for (let at = first; at < first + 512; at++) this.ptes.delete(`${pgd}:${at}`);
  }
}

interface Machine {
  readonly tables: PageTables;
  readonly pgds: readonly number[];
  readonly model: EntryMap;
}

function apply({ tables, pgds, model }: Machine, pgd: number, page: number, op: string): void {
  const { entries } = tables;
  const root = pgds[pgd]!;
  const key = `${pgd}:${page}`;
  const leaf = model.leaves.has(model.pmd(pgd, page));
  if (op === "map" && !leaf) {
    const table = tables.tableBelow(tables.makePmdSlot(root, page));
    const value = ((model.ptes.size + 1) << ENTRY_SHIFT) | ENTRY_PRESENT;
    entries[table * 512 + (page % 512)] = value;
    model.reach(pgd, page);
    model.tables.add(`pte ${model.pmd(pgd, page)}`);
    model.ptes.set(key, value);
  } else if (op === "unmap" && model.ptes.delete(key)) {
    entries[tables.pteSlot(root, page)] = 0;
  } else if (op === "leaf" && !model.hasPteTable(pgd, page)) {
    entries[tables.makePmdSlot(root, page)] = ENTRY_PRESENT | ENTRY_LEAF;
    model.reach(pgd, page);
    model.leaves.add(model.pmd(pgd, page));
  } else if (op === "freeTable" && model.hasPteTable(pgd, page)) {
    const slot = tables.pmdSlot(root, page);
    tables.freeTable(entries[slot]! >>> ENTRY_SHIFT);
    entries[slot] = 0;
    model.dropPteTable(pgd, page);
  }
}

function compare({ tables, pgds, model }: Machine, pgd: number, page: number): void {
  const slot = tables.pteSlot(pgds[pgd]!, page);
  expect(slot === NO_ENTRY).toBe(!model.hasPteTable(pgd, page));
  const found = slot === NO_ENTRY ? undefined : tables.entries[slot]!;
  expect(found === 0 ? undefined : found).toBe(model.ptes.get(`${pgd}:${page}`));
  const pmd = tables.pmdSlot(pgds[pgd]!, page);
  const isLeaf = pmd !== NO_ENTRY && (tables.entries[pmd]! & ENTRY_LEAF) !== 0;
  expect(isLeaf).toBe(model.leaves.has(model.pmd(pgd, page)));
}

test("page tables keep what is stored at a page, apart for each page and address space (PT-01)", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40, size: "max" }),
      fc.array(vpn, { maxLength: 10, size: "max" }),
      (steps, others) => {
        const tables = new PageTables(200);
        const pgds = Array.from({ length: PGDS }, () => tables.allocTable());
        const machine: Machine = { tables, pgds, model: new EntryMap() };
        for (const { op, pgd, vpn: page } of steps) apply(machine, pgd, page, op);
        for (const page of [...steps.map((done) => done.vpn), ...others]) {
          for (let pgd = 0; pgd < PGDS; pgd++) compare(machine, pgd, page);
        }
        expect(tables.nrTables).toBe(PGDS + machine.model.tables.size);
      },
    ),
    RUNS,
  );
});
