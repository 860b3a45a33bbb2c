import { describe, expect, it } from "vitest";
import { nearestNames } from "../../../src/features/nearest-names.ts";

describe("nearestNames", () => {
  it("names the nearest first, three at most", () => {
    const names = ["a.walks", "a.walk", "a.talk", "a.balk", "a.other"];
    expect(nearestNames("walk", names)).toBe("; did you mean a.walk or a.walks or a.talk?");
  });

  it("does not mind case, and compares the last parts of a dotted name", () => {
    expect(nearestNames("INCMINSEQ.BatchSizes", ["mglru.incMinSeq.batchSizes", "x"])).toBe(
      "; did you mean mglru.incMinSeq.batchSizes?",
    );
  });

  it("lists the names when none is near and they are few", () => {
    expect(nearestNames("completely-different", ["a", "b"])).toBe("; there is a, b");
    expect(nearestNames("completely-different", ["a", "b", "c", "d"])).toBe("");
    expect(nearestNames("x", [])).toBe("");
  });
});
