import { describe, expect, test } from "vitest";
import {
  AnonVma,
  type MappedFile,
  type Mm,
  VM_RAND_READ,
  VM_READ,
  VM_SEQ_READ,
  VM_WRITE,
  Vma,
} from "../../src/index.ts";
import { listMachine } from "../machine.ts";

const FILE: MappedFile = {
  id: 1,
  shmem: false,
  noReuse: false,
  unevictable: false,
  readFolio: true,
};
const OTHER_FILE: MappedFile = { ...FILE, id: 2 };

function space(): Mm {
  const { memory } = listMachine();
  return memory.createMm(memory.root);
}

describe("what a VMA maps", () => {
  test("anon memory counts pages from where it was created", () => {
    const vma = new Vma(space(), 100, 200, VM_READ);
    expect([vma.isAnonymous, vma.pgoff]).toEqual([true, 100]);
  });

  test("a private file mapping is not anonymous (WALK-02)", () => {
    expect(new Vma(space(), 100, 200, VM_READ | VM_WRITE, FILE, 0).isAnonymous).toBe(false);
  });
});

describe("recency (VMA-12)", () => {
  test.each([
    ["an ordinary mapping", VM_READ | VM_WRITE, null, true],
    ["MADV_SEQUENTIAL (VMA-03)", VM_READ | VM_SEQ_READ, null, false],
    ["MADV_RANDOM (VMA-03)", VM_READ | VM_RAND_READ, FILE, false],
    ["a file", VM_READ, FILE, true],
    ["a NOREUSE file (VMA-04)", VM_READ, { ...FILE, noReuse: true }, false],
  ])("of %s", (_, flags, file, expected) => {
    expect(new Vma(space(), 0, 1, flags, file, 0).hasRecency).toBe(expected);
  });
});

describe("canMergeWith", () => {
  const mm = space();

  test("accepts an anon neighbour with equal flags", () => {
    expect(new Vma(mm, 10, 20, VM_READ).canMergeWith(new Vma(mm, 20, 30, VM_READ))).toBe(true);
  });

  test("accepts a file neighbour that continues the file", () => {
    const left = new Vma(mm, 10, 20, VM_READ, FILE, 5);
    expect(left.canMergeWith(new Vma(mm, 20, 30, VM_READ, FILE, 15))).toBe(true);
  });

  test.each([
    ["a gap", new Vma(mm, 21, 30, VM_READ, null, 20)],
    ["overlap", new Vma(mm, 19, 30, VM_READ, null, 20)],
    ["other flags", new Vma(mm, 20, 30, VM_READ | VM_WRITE)],
    ["a file beside anon memory", new Vma(mm, 20, 30, VM_READ, FILE, 20)],
    ["an offset that does not continue", new Vma(mm, 20, 30, VM_READ, null, 21)],
  ])("refuses %s", (_, right) => {
    expect(new Vma(mm, 10, 20, VM_READ).canMergeWith(right)).toBe(false);
  });

  test("refuses another file, and a neighbour below", () => {
    const left = new Vma(mm, 10, 20, VM_READ, FILE, 0);
    const right = new Vma(mm, 20, 30, VM_READ, OTHER_FILE, 10);
    expect(left.canMergeWith(right)).toBe(false);
    expect(right.canMergeWith(left)).toBe(false);
  });

  test("needs one anon_vma for both, where a side without any takes the other's", () => {
    const left = new Vma(mm, 10, 20, VM_READ);
    const right = new Vma(mm, 20, 30, VM_READ);
    left.anonVma = new AnonVma(1);
    expect(left.canMergeWith(right)).toBe(true);
    right.anonVma = new AnonVma(2);
    expect(left.canMergeWith(right)).toBe(false);
    right.anonVma = left.anonVma;
    expect(left.canMergeWith(right)).toBe(true);
    left.anonVma = null;
    expect(left.canMergeWith(right)).toBe(true);
  });
});
