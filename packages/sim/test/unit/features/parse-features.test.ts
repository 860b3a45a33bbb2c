import * as fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { parseFeatures } from "../../../src/features/parse-features.ts";
import { REGISTRY } from "./registry.ts";
import { featureErrorOf } from "./thrown.ts";

const numRuns = inject("soak") ? 20000 : 200;
const parse = (text: string) => parseFeatures(text, REGISTRY);

/** The patches of inc-min-seq that `text` turns on. */
function patchesOn(text: string): number[] {
  const set = parse(text);
  return REGISTRY.series("inc-min-seq")
    .filter(({ name }) => set.isOn(name))
    .map(({ patch }) => patch);
}

describe("parseFeatures", () => {
  it.each(["", "  "])("reads %j as the defaults", (text) => {
    expect(parse(text).nonDefault()).toEqual([]);
  });

  it("turns features on and off, a later item winning", () => {
    const name = "mglru.incMinSeq.batchSizes";
    expect(parse(name).isOn(name)).toBe(true);
    expect(parse(`${name}, -${name}`).isOn(name)).toBe(false);
    expect(parse(`-${name},${name}`).isOn(name)).toBe(true);
  });

  it("sets features that have values; -name goes back to the default", () => {
    expect(parse("lruCache.drainRule=exceed").value("lruCache.drainRule")).toBe("exceed");
    expect(parse("lruCache.drainRule=exceed,-lruCache.drainRule").toString()).toBe("");
  });

  it.each([
    ["series/inc-min-seq", [1, 2, 3, 4, 5, 6, 7]],
    ["series/inc-min-seq:1-4", [1, 2, 3, 4]],
    ["series/inc-min-seq:3", [3]],
    ["series/inc-min-seq:-2", [1, 2]],
    ["series/inc-min-seq:6-", [6, 7]],
    ["series/inc-min-seq:3,series/inc-min-seq:5", [3, 5]],
    ["series/inc-min-seq,-series/inc-min-seq:2-5", [1, 6, 7]],
    ["series/inc-min-seq,-mglru.incMinSeq.spliceRuns", [1, 2, 3, 4, 5, 6]],
    ["series/inc-min-seq,-series/inc-min-seq", []],
  ])("%s turns on patches %j", (text, patches) => {
    expect(patchesOn(text)).toEqual(patches);
  });

  it("leaves out of a series what is outside it", () => {
    expect(parse("series/inc-min-seq").isOn("mglru.incMinSeq.batchProtected")).toBe(false);
  });

  it("sets a feature with values to the last of them with its series", () => {
    const set = parse("series/secondary-mmu");
    expect(set.value("mglru.walk.secondaryMmu")).toBe("7.3");
    expect(set.isOn("mglru.stats.trimmed")).toBe(true);
  });

  it("starts from a base and keeps what it does not name", () => {
    const base = parse("series/inc-min-seq:1-2");
    expect(parseFeatures("-mglru.incMinSeq.batchSizes", REGISTRY, base).toString()).toBe(
      "mglru.incMinSeq.splitAccounting",
    );
  });

  it("reads back what a set prints, from any list it accepts", () => {
    const items = [...REGISTRY.features()].flatMap(({ name, values }) =>
      values === undefined ? [name, `-${name}`] : values.map((value) => `${name}=${value}`),
    );
    const list = fc.array(
      fc.constantFrom(...items, "series/inc-min-seq:2-7", "series/secondary-mmu"),
    );
    fc.assert(
      fc.property(list, (chosen) => {
        const error = featureErrorOf(() => {
          const set = parse(chosen.join(","));
          expect(parse(set.toString()).nonDefault()).toEqual(set.nonDefault());
        });
        expect(error).toMatch(/^(?:feature [A-Za-z.]+ requires [^\n]+)?$/);
      }),
      { numRuns },
    );
  });
});

describe("parseFeatures refuses", () => {
  it.each([
    [
      "mglru.incMinSeq.spliceRun",
      'unknown feature "mglru.incMinSeq.spliceRun"; did you mean mglru.incMinSeq.spliceRuns?',
    ],
    ["spliceruns", 'unknown feature "spliceruns"; did you mean mglru.incMinSeq.spliceRuns?'],
    ["frobnicate", 'unknown feature "frobnicate"'],
    ["series/inc-min", 'unknown series "inc-min"; there is inc-min-seq, secondary-mmu'],
    ["series/inc-min-sq", 'unknown series "inc-min-sq"; did you mean inc-min-seq?'],
    [
      "series/inc-min-seq:0",
      "series/inc-min-seq:0: found patches 0, expected a range within 1-7, the lower number first",
    ],
    [
      "series/inc-min-seq:1-8",
      "series/inc-min-seq:1-8: found patches 1-8, expected a range within 1-7, the lower number first",
    ],
    [
      "series/inc-min-seq:4-2",
      "series/inc-min-seq:4-2: found patches 4-2, expected a range within 1-7, the lower number first",
    ],
    ["series/inc-min-seq:x", 'series/inc-min-seq:x: found patches "x", expected N or N-M'],
    ["series/inc-min-seq:", 'series/inc-min-seq:: found patches "", expected N or N-M'],
    ["series/inc-min-seq:-", 'series/inc-min-seq:-: found patches "-", expected N or N-M'],
    [
      "mglru.stats.trimmed,,",
      'features "mglru.stats.trimmed,,": found an empty item, expected a name between commas',
    ],
    ["-", 'features "-": found an empty item, expected a name between commas'],
    [
      "lruCache.drainRule=never",
      'feature lruCache.drainRule: found "never", expected reach, exceed',
    ],
    [
      "lruCache.drainRule",
      "feature lruCache.drainRule: found no value, expected lruCache.drainRule= with one of reach, exceed",
    ],
    [
      "mglru.stats.trimmed=on",
      'feature mglru.stats.trimmed is on or off: found "mglru.stats.trimmed=on", expected mglru.stats.trimmed or -mglru.stats.trimmed',
    ],
    [
      "-lruCache.drainRule=reach",
      'found "-lruCache.drainRule=reach", expected -NAME or NAME=VALUE',
    ],
    [
      "mglru.incMinSeq.spliceRuns",
      "feature mglru.incMinSeq.spliceRuns requires mglru.incMinSeq.headToTail, but mglru.incMinSeq.headToTail is off",
    ],
    [
      "series/inc-min-seq,-mglru.incMinSeq.headToTail",
      "feature mglru.incMinSeq.spliceRuns requires mglru.incMinSeq.headToTail, but mglru.incMinSeq.headToTail is off",
    ],
    [
      "mglru.walk.secondaryMmu=6.12",
      "feature mglru.walk.secondaryMmu requires mglru.stats.trimmed, but mglru.stats.trimmed is off",
    ],
    [
      "lruCache.late",
      "feature lruCache.late requires lruCache.drainRule=exceed, but lruCache.drainRule is reach",
    ],
  ])("%j", (text, message) => {
    expect(featureErrorOf(() => parse(text))).toBe(message);
  });
});
