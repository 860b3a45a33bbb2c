import { describe, expect, test } from "vitest";
import { FolioLists, FolioTable, NIL } from "../../src/index.ts";

function lists(): { lists: FolioLists; a: number; b: number } {
  const made = new FolioLists(new FolioTable(16, 2));
  const a = made.allocHeads(2);
  return { lists: made, a, b: a + 1 };
}

/** A list with these folios from hot to cold. */
function fill(target: FolioLists, head: number, folios: readonly number[]): void {
  for (const folio of folios) target.addTail(head, folio);
}

/** The list from both ends; throws when they differ. */
function read(target: FolioLists, head: number): number[] {
  const forward = [...target.walk(head)];
  const backward: number[] = [];
  for (let at = target.prev[head]!; at !== head; at = target.prev[at]!) backward.push(at);
  expect(backward.toReversed()).toEqual(forward);
  return forward;
}

describe("heads", () => {
  test("lie behind the frames, consecutive and empty", () => {
    const made = new FolioLists(new FolioTable(16, 5));
    expect([made.allocHeads(2), made.allocHeads(3)]).toEqual([16, 18]);
    for (let head = 16; head < 21; head++) {
      expect([made.isEmpty(head), made.tail(head), made.first(head)]).toEqual([true, NIL, NIL]);
    }
  });

  test("run out with a count of what is missing, and nothing is taken", () => {
    const made = new FolioLists(new FolioTable(16, 5));
    made.allocHeads(3);
    expect(() => made.allocHeads(4)).toThrow(new RangeError("out of list heads: 2 more needed"));
    expect(made.allocHeads(2)).toBe(19);
  });
});

describe("adding and deleting", () => {
  test("add inserts at the hot end (CONV-02)", () => {
    const { lists: made, a } = lists();
    for (const folio of [1, 2, 3]) made.add(a, folio);
    expect(read(made, a)).toEqual([3, 2, 1]);
    expect([made.first(a), made.tail(a), made.isEmpty(a)]).toEqual([3, 1, false]);
  });

  test("addTail inserts at the cold end (CONV-02)", () => {
    const { lists: made, a } = lists();
    for (const folio of [1, 2, 3]) made.addTail(a, folio);
    expect(read(made, a)).toEqual([1, 2, 3]);
    expect([made.first(a), made.tail(a)]).toEqual([1, 3]);
  });

  test.each([
    [1, [2, 3]],
    [2, [1, 3]],
    [3, [1, 2]],
  ])("del of %i leaves the others linked and the folio with no links", (folio, rest) => {
    const { lists: made, a } = lists();
    fill(made, a, [1, 2, 3]);
    made.del(folio);
    expect(read(made, a)).toEqual(rest);
    expect([made.next[folio], made.prev[folio]]).toEqual([NIL, NIL]);
  });

  test("del of the last folio leaves an empty list", () => {
    const { lists: made, a } = lists();
    made.add(a, 7);
    made.del(7);
    expect([made.isEmpty(a), made.prev[a]]).toEqual([true, a]);
  });
});

describe("moving", () => {
  test.each([1, 2, 3])("move takes folio %i to the hot end of another list", (folio) => {
    const { lists: made, a, b } = lists();
    fill(made, a, [1, 2, 3]);
    fill(made, b, [8, 9]);
    made.move(b, folio);
    expect(read(made, a)).toEqual([1, 2, 3].filter((other) => other !== folio));
    expect(read(made, b)).toEqual([folio, 8, 9]);
  });

  test.each([1, 2, 3])("moveTail takes folio %i to the cold end of another list", (folio) => {
    const { lists: made, a, b } = lists();
    fill(made, a, [1, 2, 3]);
    fill(made, b, [8, 9]);
    made.moveTail(b, folio);
    expect(read(made, a)).toEqual([1, 2, 3].filter((other) => other !== folio));
    expect(read(made, b)).toEqual([8, 9, folio]);
  });

  test.each([
    [1, [1, 2, 3], [2, 3, 1]],
    [2, [2, 1, 3], [1, 3, 2]],
    [3, [3, 1, 2], [1, 2, 3]],
  ])("of %i within its list reorders it", (folio, moved, tailed) => {
    const { lists: made, a, b } = lists();
    fill(made, a, [1, 2, 3]);
    made.move(a, folio);
    expect(read(made, a)).toEqual(moved);
    for (const other of [1, 2, 3]) made.moveTail(b, other);
    made.moveTail(b, folio);
    expect(read(made, b)).toEqual(tailed);
  });

  test("of the only folio within its list changes nothing", () => {
    const { lists: made, a } = lists();
    made.add(a, 5);
    made.move(a, 5);
    expect(read(made, a)).toEqual([5]);
    made.moveTail(a, 5);
    expect(read(made, a)).toEqual([5]);
  });
});

describe("bulkMoveTail", () => {
  test.each([
    { run: [1, 2], rest: [3, 4], title: "a run at the hot end" },
    { run: [2, 3], rest: [1, 4], title: "a run in the middle" },
    { run: [3, 4], rest: [1, 2], title: "a run at the cold end" },
    { run: [1, 4], rest: [], title: "the whole list" },
    { run: [2, 2], rest: [1, 3, 4], title: "a run of one folio" },
  ])("moves $title to the cold end of another list, in its order", ({ run, rest }) => {
    const { lists: made, a, b } = lists();
    fill(made, a, [1, 2, 3, 4]);
    fill(made, b, [8, 9]);
    made.bulkMoveTail(b, run[0]!, run[1]!);
    expect(read(made, a)).toEqual(rest);
    expect(read(made, b)).toEqual([8, 9, ...[1, 2, 3, 4].filter((f) => !rest.includes(f))]);
  });

  test("moves a run to the cold end of its own list", () => {
    const { lists: made, a } = lists();
    fill(made, a, [1, 2, 3, 4]);
    made.bulkMoveTail(a, 1, 2);
    expect(read(made, a)).toEqual([3, 4, 1, 2]);
    made.bulkMoveTail(a, 1, 2);
    expect(read(made, a)).toEqual([3, 4, 1, 2]);
    made.bulkMoveTail(a, 3, 2);
    expect(read(made, a)).toEqual([3, 4, 1, 2]);
  });
});
