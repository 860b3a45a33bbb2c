import { createRecordingHardware, type RecordingHardware } from "@lrugen/hardware/recording";
import { PG_SWAPBACKED, PG_WORKINGSET } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { type IncMinSeqFeatures } from "../../src/index.ts";
import { Machine } from "../machine.ts";

type Switch = keyof IncMinSeqFeatures;

/** Ages a list of letters, P for promoted ones. @returns the list, and what was prefetched, in words */
function prefetched(features: readonly Switch[], letters: string): [number[], string[]] {
  const hardware: RecordingHardware = createRecordingHardware({ cpus: 1 });
  const m = new Machine({ hardware, features });
  for (const letter of letters.split("").toReversed()) {
    const folio = m.onList(0, PG_SWAPBACKED | PG_WORKINGSET);
    if (letter === "P") m.setGen(folio, 3);
  }
  const folios = m.list(0);
  hardware.take();
  m.age();
  const lines = hardware.take().filter(({ op }) => op === "prefetchw");
  return [folios, lines.map((each) => hardware.where("line" in each ? each.line : -1))];
}

const folioLine = (folio: number): string => `region folio line ${folio}`;

describe("the flags of the next folio are prefetched for write (S1-05)", () => {
  test.each([
    ["aaaa", ["headToTail"]],
    ["aPPa", ["headToTail"]],
    ["aaaa", ["headToTail", "spliceRuns"]],
    ["aPPa", ["headToTail", "spliceRuns"]],
    ["PaaP", ["headToTail", "spliceRuns", "promotedAhead", "promotedNotProtected"]],
  ] as const)("%s with %j: each folio but the first, once, before its turn", (letters, others) => {
    const [folios, lines] = prefetched(["prefetchInline", ...others], letters);
    expect(lines).toEqual(folios.slice(1).map(folioLine));
  });

  test("the end of the list is not prefetched", () => {
    expect(prefetched(["prefetchInline", "headToTail"], "a")[1]).toEqual([]);
    expect(prefetched(["prefetchInline", "headToTail", "spliceRuns"], "P")[1]).toEqual([]);
  });

  test.each([[[]], [["headToTail"]], [["headToTail", "spliceRuns"]]] as const)(
    "without the switch nothing is: %j",
    (features) => {
      expect(prefetched(features, "aPaaP")[1]).toEqual([]);
    },
  );

  test("from the tail nothing is: the helper alone changes nothing (S1-10)", () => {
    expect(prefetched(["prefetchInline"], "aPaa")[1]).toEqual([]);
  });
});
