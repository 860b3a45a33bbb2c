import { NIL } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { MissSearch } from "../../src/file/miss-search.ts";
import { createFileMachine } from "../file-machine.ts";

/** A search over a file of 256 pages that caches folios [first page, order]. */
function search(...folios: readonly (readonly [number, number])[]): {
  next: (first: number, max?: number) => number;
  before: (index: number, max?: number) => number;
} {
  const { memory, io, task0, file } = createFileMachine(256);
  for (const [index, order] of folios) {
    expect(io.filemap.add(task0, file, index, order, false)).not.toBe(NIL);
  }
  const misses = new MissSearch(memory.pageCache, memory.folios);
  return {
    next: (first, max = 32) => misses.next(file, first, max),
    before: (index, max = 32) => misses.before(file, index, max),
  };
}

describe("the next page that is not cached (FIO-17)", () => {
  test("is found where it is from a folio's first page on, or not within the range", () => {
    const { next } = search([8, 3], [16, 0]);
    expect([next(7), next(8), next(16), next(8, 9), next(8, 10)]).toEqual([7, 17, 17, NIL, 17]);
  });

  test("is counted d pages late from d pages into a folio (seen on 7.3.4)", () => {
    const { next } = search([8, 3], [16, 0]);
    expect([next(9), next(15), next(15, 9), next(15, 10)]).toEqual([18, 24, NIL, 24]);
  });

  test("is found where it is in the next leaf, whose first d pages are not looked at (scenario 165)", () => {
    const { next } = search([56, 3], [66, 1]);
    expect([next(56), next(58), next(57)]).toEqual([64, 68, 65]);
  });

  test("is not counted late in a folio of a leaf or more", () => {
    const { next } = search([64, 6]);
    expect([next(100, 28), next(100, 29)]).toEqual([NIL, 128]);
  });
});

describe("the pages cached before one (FIO-11, FIO-18)", () => {
  test("are counted from the end of a folio of one page, up to a hole or the start of the file", () => {
    const { before } = search([0, 0], [8, 2], [12, 0], [13, 0]);
    expect([before(0), before(1), before(7), before(14), before(14, 3)]).toEqual([0, 1, 0, 6, 3]);
  });

  test("are d fewer from d pages into a folio, the pages of a lone folio too (seen on 7.3.4)", () => {
    const { before } = search([7, 0], [8, 2]);
    expect([before(12), before(11), before(10), before(9)]).toEqual([2, 2, 2, 2]);
  });

  test("go on d pages into the leaf before, not at its end (scenario 164)", () => {
    const { before } = search([64, 2], [0, 2]);
    // 67 looks at 64; 66, 65 and 64 at 2, 1 and 0 of the leaf before; 63 at none.
    expect(before(68)).toBe(4);
  });
});
