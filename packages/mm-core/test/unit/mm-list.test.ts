import { describe, expect, test } from "vitest";
import { LruGenMmList, type Mm, MmListEntry, unlinkMm } from "../../src/index.ts";
import { listMachine } from "../machine.ts";

function spaces(count: number): Mm[] {
  const { memory } = listMachine();
  return Array.from({ length: count }, () => memory.createMm(memory.root));
}

function listOf(mms: readonly Mm[]): LruGenMmList {
  const list = new LruGenMmList();
  for (const mm of mms) list.append(mm.lruGen);
  return list;
}

describe("the list of address spaces (MM-01)", () => {
  test("is empty at first: the anchor points at itself and has no mm", () => {
    const { anchor } = new LruGenMmList();
    expect([anchor.next, anchor.prev, anchor.mm]).toEqual([anchor, anchor, null]);
  });

  test("keeps the order in which they joined, both ways round", () => {
    const mms = spaces(3);
    const list = listOf(mms);
    expect([...list.walk()]).toEqual(mms);
    const backwards = [];
    for (let at = list.anchor.prev; at !== list.anchor; at = at.prev) backwards.push(at.mm);
    expect(backwards).toEqual(mms.toReversed());
  });

  test.each([0, 1, 2])("loses member %i alone when it is unlinked", (index) => {
    const mms = spaces(3);
    const list = listOf(mms);
    const { lruGen } = mms[index]!;
    unlinkMm(lruGen);
    expect([...list.walk()]).toEqual(mms.toSpliced(index, 1));
    expect([lruGen.next, lruGen.prev]).toEqual([lruGen, lruGen]);
  });

  test("takes a member back at the tail (MM-04)", () => {
    const mms = spaces(2);
    const list = listOf(mms);
    unlinkMm(mms[0]!.lruGen);
    list.append(mms[0]!.lruGen);
    expect([...list.walk()]).toEqual(mms.toReversed());
  });

  test("is unharmed when an unlinked entry is unlinked again", () => {
    const mms = spaces(2);
    const list = listOf(mms);
    unlinkMm(new MmListEntry(null));
    unlinkMm(mms[0]!.lruGen);
    unlinkMm(mms[0]!.lruGen);
    expect([...list.walk()]).toEqual([mms[1]]);
  });
});
