import { systemFeatures } from "@lrugen/sim";
import { describe, expect, it } from "vitest";
import {
  type IncMinSeqRepro,
  type IncMinSeqReproOptions,
  type IncMinSeqRunProgress,
  reproIncMinSeq,
} from "../../../src/index.ts";

const small: IncMinSeqReproOptions = { features: systemFeatures(), pages: 5000, agings: 6 };

/** Runs to the end, or up to step `stopAt`. */
const run = (
  options: IncMinSeqReproOptions,
  stopAt = Infinity,
): { result: IncMinSeqRepro; steps: IncMinSeqRunProgress[] } => {
  const generator = reproIncMinSeq(options);
  const steps: IncMinSeqRunProgress[] = [];
  let step = generator.next();
  while (step.done !== true) {
    steps.push(step.value);
    step = generator.next(steps.length >= stopAt);
  }
  return { result: step.value, steps };
};

describe("a repro", () => {
  it("runs before and after, and says how far it is", () => {
    const { result, steps } = run(small);
    expect(result).toMatchObject({ complete: true, patches: null });
    expect(result.before.options.features.toString()).toBe("");
    expect(result.after?.options.features).toEqual(systemFeatures("series/inc-min-seq"));
    expect(steps).toHaveLength(12);
    expect(steps[0]).toEqual({ run: "before", done: 1, total: 6 });
    expect(steps.at(-1)).toEqual({ run: "after", done: 6, total: 6 });
  });

  it("puts the series on top of the features it starts from", () => {
    const { result } = run({
      ...small,
      features: systemFeatures("mglru.incMinSeq.batchProtected"),
    });
    expect(result.before.options.features.toString()).toBe("mglru.incMinSeq.batchProtected");
    expect(result.after?.options.features.isOn("mglru.incMinSeq.batchProtected")).toBe(true);
    expect(result.after?.options.features.isOn("mglru.incMinSeq.spliceRuns")).toBe(true);
  });

  it("stopped in the first run has no second one", () => {
    const { result } = run({ ...small, eachPatch: true }, 4);
    expect(result).toMatchObject({ complete: false, after: null, patches: null });
    expect(result.before.agings).toHaveLength(4);
  });

  it("stopped among the patches has the effects so far", () => {
    const { result } = run({ ...small, eachPatch: true }, 6 + 6 + 6 + 6 + 2);
    expect(result.complete).toBe(false);
    expect(result.patches?.map(({ patch }) => patch)).toEqual([1, 2]);
  });
});

describe("each patch on top of those before it", () => {
  const { result } = run({ ...small, eachPatch: true });
  const changesOf = (patch: number): readonly string[] =>
    result
      .patches!.find((effect) => effect.patch === patch)!
      .changes.map(
        ({ what, seq, before, after }) => `${seq ?? "example"} ${what}: ${before} -> ${after}`,
      );

  it("is there, in patch order", () => {
    expect(result.patches?.map(({ patch }) => patch)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([1, 2, 5])("patch %i changes nothing that can be seen (S1-01, S1-02, S1-05)", (patch) => {
    expect(changesOf(patch)).toEqual([]);
  });

  it("patch 3 puts promoted folios ahead (S1-03)", () => {
    expect(changesOf(3)).toEqual([
      "5 order of promoted folios: reversed -> kept",
      "example generation 3, head to tail: x y h g f e d c b a -> c f x y h g e d b a",
    ]);
  });

  it("patch 4 protects promoted folios no longer (S1-04)", () => {
    expect(changesOf(4)).toEqual([
      "5 avg_total of anon tier 3, pages: 2500 -> 0",
      "example avg_total of anon tier 3, pages: 1 -> 0",
    ]);
  });

  it("patch 6 keeps the order of non-promoted folios (S1-06)", () => {
    expect(changesOf(6)).toEqual([
      "6 order of non-promoted folios: reversed -> kept",
      "5 order of promoted folios: kept -> reversed",
      "example generation 3, head to tail: c f x y h g e d b a -> f c x y a b d e g h",
    ]);
  });

  it("patch 7 moves runs by splices and changes nothing else (S1-07)", () => {
    expect(changesOf(7)).toEqual(["6 list splices: 0 -> 2"]);
  });
});
