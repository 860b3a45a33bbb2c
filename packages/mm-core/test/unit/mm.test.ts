import { describe, expect, test } from "vitest";
import { type Mm, VM_READ, Vma } from "../../src/index.ts";
import { listMachine } from "../machine.ts";

/** An address space with VMAs at these page ranges. */
function space(...at: readonly (readonly [number, number])[]): Mm {
  const { memory } = listMachine();
  const mm = memory.createMm(memory.root);
  for (const [start, end] of at) mm.insertVma(new Vma(mm, start, end, VM_READ));
  return mm;
}

function ranges(mm: Mm): number[][] {
  return mm.vmas.map(({ start, end }) => [start, end]);
}

describe("a new address space", () => {
  test("has no VMA, is on no mm list and ran nowhere yet (CSW-02)", () => {
    const mm = space();
    expect([mm.vmas.length, mm.listedIn, mm.lruGenBitmap, mm.hasNotifiers]).toEqual([
      0,
      null,
      0,
      false,
    ]);
    expect([mm.lruGen.mm, mm.lruGen.next]).toEqual([mm, mm.lruGen]);
    expect([mm.vmaAt(0), mm.firstVmaEndingAfter(0), mm.indexEndingAfter(0)]).toEqual([
      null,
      null,
      0,
    ]);
  });
});

describe("insertVma", () => {
  test("keeps VMAs in address order", () => {
    const mm = space([30, 40], [10, 20], [50, 60], [20, 30], [2 ** 34, 2 ** 34 + 1]);
    expect(ranges(mm)).toEqual([
      [10, 20],
      [20, 30],
      [30, 40],
      [50, 60],
      [2 ** 34, 2 ** 34 + 1],
    ]);
  });
});

describe("lookup", () => {
  test("vmaAt finds the VMA that contains a page, ends excluded", () => {
    const mm = space([10, 20], [20, 30], [40, 50]);
    const starts = [9, 10, 19, 20, 29, 30, 39, 40, 49, 50].map((vpn) => mm.vmaAt(vpn)?.start);
    expect(starts).toEqual([undefined, 10, 10, 20, 20, undefined, undefined, 40, 40, undefined]);
  });

  test("firstVmaEndingAfter looks past holes, as find_vma does", () => {
    const mm = space([10, 20], [40, 50]);
    const starts = [0, 19, 20, 39, 49, 50].map((vpn) => mm.firstVmaEndingAfter(vpn)?.start);
    expect(starts).toEqual([10, 10, 40, 40, 40, undefined]);
    expect([0, 20, 50].map((vpn) => mm.indexEndingAfter(vpn))).toEqual([0, 1, 2]);
  });
});

describe("the cache of the last VMA", () => {
  test("does not hide a VMA inserted where the last one was shrunk", () => {
    const mm = space([10, 20]);
    const old = mm.vmaAt(15)!;
    old.end = 15;
    const added = new Vma(mm, 15, 20, VM_READ);
    mm.insertVma(added);
    expect([mm.vmaAt(15), mm.vmaAt(14)]).toEqual([added, old]);
  });

  test("forgets a removed VMA", () => {
    const mm = space([10, 20], [20, 30]);
    const vma = mm.vmaAt(15)!;
    mm.removeVma(vma);
    expect(mm.vmaAt(15)).toBeNull();
    expect(ranges(mm)).toEqual([[20, 30]]);
  });

  test("survives the removal of another VMA", () => {
    const mm = space([10, 20], [20, 30]);
    const other = mm.vmaAt(25)!;
    const vma = mm.vmaAt(15);
    mm.removeVma(other);
    expect(mm.vmaAt(15)).toBe(vma);
  });

  test("does not answer for pages outside of the last VMA", () => {
    const mm = space([10, 20], [30, 40]);
    mm.vmaAt(15);
    expect([mm.vmaAt(25), mm.vmaAt(35)?.start, mm.vmaAt(5)]).toEqual([null, 30, null]);
  });
});

describe("removeVma", () => {
  test("refuses a VMA that is not there, and removes nothing instead", () => {
    const mm = space([10, 20]);
    expect(() => mm.removeVma(new Vma(mm, 10, 20, VM_READ))).toThrow(
      "removed a VMA that is not in the address space",
    );
    expect(ranges(mm)).toEqual([[10, 20]]);
  });
});

describe("the cache of the last PMD table", () => {
  test("is empty at first and after forgetTables", () => {
    const mm = space();
    expect([mm.lastGib, mm.lastPmdTable]).toEqual([-1, 0]);
    mm.lastGib = 3;
    mm.lastPmdTable = 7;
    mm.forgetTables();
    expect([mm.lastGib, mm.lastPmdTable]).toEqual([-1, 0]);
  });
});
