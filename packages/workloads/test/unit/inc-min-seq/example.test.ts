import { systemFeatures } from "@lrugen/sim";
import { describe, expect, it } from "vitest";
import { exampleListText, type ExampleState, runIncMinSeqExample } from "../../../src/index.ts";

const PREFIX = "mglru.incMinSeq.";

const shown = ({ lists }: ExampleState): string[] =>
  lists.map((list) => `${list.seq}: ${exampleListText(list)}`);
const after = (features: string): ExampleState =>
  runIncMinSeqExample(systemFeatures(features)).after;

describe("the example", () => {
  it("starts with c and f promoted in place, x and y one generation younger", () => {
    const { before } = runIncMinSeqExample(systemFeatures());
    expect(before).toMatchObject({ maxSeq: 5, minSeq: 2, avgTotal: [0, 0, 0, 0] });
    expect(shown(before)).toEqual(["2: a b c* d e f* g h", "3: x y"]);
  });

  it("7.3 turns the list round, promoted folios behind x and y (AGE-13)", () => {
    const state = after("");
    expect(state).toMatchObject({ maxSeq: 6, minSeq: 3 });
    expect(shown(state)).toEqual(["3: x y h g f e d c b a"]);
  });

  it("the series puts promoted folios ahead and keeps the order of the others (S1-03, S1-06)", () => {
    expect(shown(after("series/inc-min-seq"))).toEqual(["3: f c x y a b d e g h"]);
  });

  it("promoted folios ahead alone still turns the others round (S1-10)", () => {
    expect(shown(after(`${PREFIX}promotedAhead`))).toEqual(["3: c f x y h g e d b a"]);
  });

  it("head to tail alone leaves promoted folios where they are, among the others (S1-10)", () => {
    expect(shown(after(`${PREFIX}headToTail`))).toEqual(["3: x y a b c d e f g h"]);
  });

  it("7.3 protects promoted folios in tier 3, the series does not (S1-04)", () => {
    expect(after("").avgTotal).toEqual([3, 0, 0, 1]);
    expect(after("series/inc-min-seq").avgTotal).toEqual([3, 0, 0, 0]);
  });

  it("marks what is promoted in place", () => {
    const folios = [
      { letter: "a", promoted: false },
      { letter: "b", promoted: true },
    ];
    expect(exampleListText({ seq: 2, folios })).toBe("a b*");
  });
});
