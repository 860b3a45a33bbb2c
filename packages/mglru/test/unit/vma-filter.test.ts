import {
  type MappedFile,
  VM_DONTEXPAND,
  VM_EXEC,
  VM_HUGETLB,
  VM_IO,
  VM_LOCKED,
  VM_MIXEDMAP,
  VM_PFNMAP,
  VM_RAND_READ,
  VM_READ,
  VM_SEQ_READ,
  VM_SHARED,
  VM_WRITE,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { getNextVma, shouldSkipVma, type VmaCursor } from "../../src/aging/vma-filter.ts";
import { FILE, Machine, PMD, PUD, SHMEM } from "../machine.ts";

const RW = VM_READ | VM_WRITE;

function skips(flags: number, file: MappedFile | null = null, swappiness = 60): boolean {
  const m = new Machine();
  return shouldSkipVma(m.vma(m.mm(), 0, 1, flags, file), swappiness);
}

describe("mappings that a walk leaves alone (WALK-02, VMA-13)", () => {
  test.each([
    ["no access at all", VM_SHARED, null],
    ["hugetlb", RW | VM_HUGETLB, null],
    ["random reads (REF-05)", RW | VM_RAND_READ, null],
    ["sequential reads (REF-05)", RW | VM_SEQ_READ, FILE],
    ["a no-reuse file (REF-05)", RW, { ...FILE, noReuse: true }],
    ["mlocked", RW | VM_LOCKED, null],
    ["device memory", RW | VM_IO, null],
    ["not to be expanded", RW | VM_DONTEXPAND, null],
    ["raw frames", RW | VM_PFNMAP, null],
    ["mixed frames", RW | VM_MIXEDMAP, null],
    ["an unevictable file", RW, { ...FILE, unevictable: true }],
    ["unevictable shared memory", RW, { ...SHMEM, unevictable: true }],
    ["a file that cannot be read in, as DAX", RW, { ...FILE, readFolio: false }],
  ] as const)("%s", (_name, flags, file) => {
    expect(skips(flags, file)).toBe(true);
  });

  test.each([
    ["read only", VM_READ],
    ["write only", VM_WRITE],
    ["execute only", VM_EXEC],
    ["shared", RW | VM_SHARED],
  ])("%s is walked", (_name, flags) => {
    expect([skips(flags), skips(flags, FILE)]).toEqual([false, false]);
  });

  // Shared memory need not be readable from a file system.
  const shmem = { ...SHMEM, readFolio: false };

  test.each([
    [0, true, true, false],
    [1, false, false, false],
    [200, false, false, false],
    [201, false, false, true],
  ])("swappiness %i skips anon: %s, shmem: %s, files: %s", (swappiness, anon, shared, file) => {
    expect([
      skips(RW, null, swappiness),
      skips(RW, shmem, swappiness),
      skips(RW, FILE, swappiness),
    ]).toEqual([anon, shared, file]);
  });
});

/** The cursor in the first VMA, whose range [start, end) is done. */
function next(
  ranges: readonly (readonly [start: number, end: number, flags?: number])[],
  done: readonly [start: number, end: number],
  tablePages: number,
  entryPages: number,
): { found: readonly [number, number] | null; vma: number | null } {
  const m = new Machine();
  const mm = m.mm();
  const vmas = ranges.map(([start, end, flags = RW]) => m.vma(mm, start, end - start, flags));
  const cursor: VmaCursor = { vma: vmas[0]! };
  const range = { start: done[0], end: done[1] };
  const found = getNextVma(cursor, range, tablePages, entryPages, 60);
  return {
    found: found ? [range.start, range.end] : null,
    vma: cursor.vma === null ? null : vmas.indexOf(cursor.vma),
  };
}

describe("getNextVma (WALK-04)", () => {
  test("finds the next VMA in the same PTE table", () => {
    expect(
      next(
        [
          [0, 5],
          [9, 20],
        ],
        [0, 5],
        PMD,
        1,
      ),
    ).toEqual({ found: [9, 20], vma: 1 });
  });

  test("finds one that touches the finished one", () => {
    expect(
      next(
        [
          [0, 5],
          [5, 20],
        ],
        [0, 5],
        PMD,
        1,
      ),
    ).toEqual({ found: [5, 20], vma: 1 });
  });

  test("cuts it where the table ends", () => {
    expect(
      next(
        [
          [0, 5],
          [9, 2000],
        ],
        [0, 5],
        PMD,
        1,
      ),
    ).toEqual({ found: [9, 512], vma: 1 });
  });

  test("passes VMAs that are skipped", () => {
    const ranges = [
      [0, 5],
      [5, 9, RW | VM_LOCKED],
      [9, 12, 0],
      [20, 30],
    ] as const;
    expect(next(ranges, [0, 5], PMD, 1)).toEqual({ found: [20, 30], vma: 3 });
  });

  test("stands at the first VMA beyond the table when there is none inside, skipped or not", () => {
    const ranges = [
      [0, 5],
      [512, 600, VM_LOCKED],
      [600, 700],
    ] as const;
    expect(next(ranges, [0, 5], PMD, 1)).toEqual({ found: null, vma: 1 });
  });

  test("is nowhere when the VMAs ran out", () => {
    expect(
      next(
        [
          [0, 5],
          [7, 8, VM_LOCKED],
        ],
        [0, 5],
        PMD,
        1,
      ),
    ).toEqual({ found: null, vma: null });
  });

  test("goes on at the next whole entry: the rest of the last one was seen with it", () => {
    const ranges = [
      [0, PMD + 5],
      [PMD + 9, 3 * PMD],
    ] as const;
    expect(next(ranges, [0, PMD + 5], PUD, PMD)).toEqual({ found: [2 * PMD, 3 * PMD], vma: 1 });
  });

  test("a VMA that lies in the seen entry alone is passed", () => {
    const ranges = [
      [0, 5],
      [9, 20],
      [600, 700],
    ] as const;
    expect(next(ranges, [0, 5], PUD, PMD)).toEqual({ found: [600, 700], vma: 2 });
  });

  test("goes on in the same VMA when it reaches into the next entry", () => {
    // The range of a PUD entry that ended with the table below it, not with the VMA.
    const ranges = [
      [0, 5],
      [700, 3 * PUD],
    ] as const;
    expect(next(ranges, [0, 5], 512 * PUD, PUD)).toEqual({ found: [PUD, 3 * PUD], vma: 1 });
  });

  test.each([
    ["PTE", PMD, 1, PMD],
    ["PMD", PUD, PMD, PUD - 7],
    ["PUD", 512 * PUD, PUD, 512 * PUD - 7],
  ])(
    "a range that ended in the last entry of a table has no next in the table behind it (%s level)",
    (_level, tablePages, entryPages, end) => {
      const ranges = [
        [end - 10, end],
        [tablePages, tablePages + 10],
      ] as const;
      expect(next(ranges, [end - 10, end], tablePages, entryPages)).toEqual({
        found: null,
        vma: 0,
      });
    },
  );
});
