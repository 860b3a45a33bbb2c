import { describe, expect, test } from "vitest";
import {
  ENTRY_ACCESSED,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_WRITE,
  NO_ENTRY,
  PageTables,
} from "../../src/index.ts";

const PAGES_PER_GIB = 262_144;
/** Virtual page of the first region of a worker: 0x100000000000, i.e. page 2^32. */
const REGION = 0x1000_0000_0000 / 4096;

/** The PTE slot of a virtual page, with every table on the way made. */
function makePteSlot(tables: PageTables, pgd: number, vpn: number): number {
  const table = tables.tableBelow(tables.makePmdSlot(pgd, vpn));
  return table * 512 + (vpn % 512);
}

describe("the pool", () => {
  test("numbers tables from 1, so that 0 is none", () => {
    const tables = new PageTables(4);
    expect([tables.allocTable(), tables.allocTable(), tables.allocTable()]).toEqual([1, 2, 3]);
    expect(tables.nrTables).toBe(3);
  });

  test("says what to configure when it is used up", () => {
    const tables = new PageTables(3);
    tables.allocTable();
    tables.allocTable();
    expect(() => tables.allocTable()).toThrow(
      new RangeError("out of page tables: configure the machine with more (pageTables)"),
    );
    expect(tables.nrTables).toBe(2);
  });

  test("gets tables back empty, and gives them out again last", () => {
    const tables = new PageTables(4);
    const [first, second] = [tables.allocTable(), tables.allocTable()];
    tables.entries.fill(-1, 0, 4 * 512);
    tables.freeTable(first);
    expect(tables.isEmptyTable(first)).toBe(true);
    expect([tables.isEmptyTable(0), tables.isEmptyTable(second)]).toEqual([false, false]);
    expect([tables.nrTables, tables.allocTable(), tables.allocTable()]).toEqual([1, 3, first]);
  });

  test("runs out below a table that exists without losing what is mapped", () => {
    const tables = new PageTables(5);
    const pgd = tables.allocTable();
    const slot = makePteSlot(tables, pgd, 7);
    tables.entries[slot] = ENTRY_PRESENT;
    expect(() => makePteSlot(tables, pgd, PAGES_PER_GIB * 512)).toThrow("out of page tables");
    expect(tables.pteSlot(pgd, 7)).toBe(slot);
    expect(tables.pteSlot(pgd, PAGES_PER_GIB * 512)).toBe(NO_ENTRY);
  });
});

describe("four levels (PT-01)", () => {
  test("a page costs one table on each of the three levels below the top", () => {
    const tables = new PageTables(100);
    const pgd = tables.allocTable();
    const made = (vpn: number): number => {
      makePteSlot(tables, pgd, vpn);
      return tables.nrTables - 1;
    };
    expect(made(0)).toBe(3);
    expect(made(511)).toBe(3); // same PTE table
    expect(made(512)).toBe(4); // next PMD entry
    expect(made(PAGES_PER_GIB)).toBe(6); // next PUD entry
    expect(made(PAGES_PER_GIB * 512)).toBe(9); // next PGD entry
  });

  test("pages on all sides of every boundary have entries of their own, also beyond page 2^32", () => {
    const bases = [0, 511, 512, PAGES_PER_GIB, PAGES_PER_GIB * 512, REGION, 2 ** 35 - 512];
    const vpns = new Set(bases.flatMap((base) => [base - 1, base, base + 1, base + 511]));
    vpns.delete(-1);
    const tables = new PageTables(100);
    const pgd = tables.allocTable();
    const slots = [...vpns].map((vpn) => makePteSlot(tables, pgd, vpn));
    expect(new Set(slots).size).toBe(vpns.size);
    expect([...vpns].map((vpn) => tables.pteSlot(pgd, vpn))).toEqual(slots);
  });

  test("regions 1 GiB apart from page 2^32 on each have a PMD table of their own", () => {
    const tables = new PageTables(100);
    const pgd = tables.allocTable();
    const pmds = Array.from({ length: 20 }, (_, i) => {
      makePteSlot(tables, pgd, REGION + i * PAGES_PER_GIB);
      return tables.pmdTable(pgd, REGION / PAGES_PER_GIB + i);
    });
    expect(new Set(pmds).size).toBe(20);
    expect(pmds).not.toContain(0);
    expect(tables.nrTables).toBe(1 + 1 + 20 + 20);
  });

  test("address spaces do not see each other's tables", () => {
    const tables = new PageTables(100);
    const [mine, yours] = [tables.allocTable(), tables.allocTable()];
    const slot = makePteSlot(tables, mine, REGION);
    expect(tables.pteSlot(yours, REGION)).toBe(NO_ENTRY);
    expect(makePteSlot(tables, yours, REGION)).not.toBe(slot);
  });
});

describe("looking up", () => {
  test("a page below no table has neither PMD nor PTE, and nothing is made", () => {
    const tables = new PageTables(100);
    const pgd = tables.allocTable();
    expect([
      tables.pmdTable(pgd, 4),
      tables.pmdSlot(pgd, REGION),
      tables.pteSlot(pgd, REGION),
    ]).toEqual([0, NO_ENTRY, NO_ENTRY]);
    expect(tables.nrTables).toBe(1);
  });

  test("a page below a PMD leaf has a PMD entry and no PTE (PT-15)", () => {
    const tables = new PageTables(100);
    const pgd = tables.allocTable();
    const slot = tables.makePmdSlot(pgd, REGION + 512);
    tables.entries[slot] = (1024 << ENTRY_SHIFT) | ENTRY_PRESENT | ENTRY_LEAF;
    expect(tables.pmdSlot(pgd, REGION + 1023)).toBe(slot);
    expect(tables.pteSlot(pgd, REGION + 1023)).toBe(NO_ENTRY);
  });

  test("a page below a swapped-out PMD has no PTE", () => {
    const tables = new PageTables(100);
    const pgd = tables.allocTable();
    tables.entries[tables.makePmdSlot(pgd, 0)] = 77 << ENTRY_SHIFT;
    expect(tables.pteSlot(pgd, 0)).toBe(NO_ENTRY);
  });

  test("consecutive pages of a PMD have consecutive slots", () => {
    const tables = new PageTables(100);
    const pgd = tables.allocTable();
    const first = makePteSlot(tables, pgd, REGION);
    expect([1, 2, 511].map((i) => tables.pteSlot(pgd, REGION + i) - first)).toEqual([1, 2, 511]);
  });
});

describe("new tables", () => {
  test("are linked in present, writable and already accessed (PT-03)", () => {
    const tables = new PageTables(100);
    const pgd = tables.allocTable();
    const slot = tables.makePmdSlot(pgd, 0);
    const table = tables.tableBelow(slot);
    expect(tables.entries[slot]).toBe(
      (table << ENTRY_SHIFT) | ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED,
    );
    expect([tables.tableBelow(slot), tables.nrTables]).toEqual([table, 4]);
  });
});
