import { describe, expect, it } from "vitest";
import { FeatureRegistry } from "../../../src/features/feature-registry.ts";
import { FeatureSet } from "../../../src/features/feature-set.ts";
import { parseFeatures } from "../../../src/features/parse-features.ts";
import { feature, REGISTRY } from "./registry.ts";
import { featureErrorOf } from "./thrown.ts";

describe("FeatureSet", () => {
  it("lists what is not as by default, in registry order", () => {
    const set = parseFeatures(
      "lruCache.drainRule=exceed,mglru.stats.trimmed,mglru.incMinSeq.batchSizes",
      REGISTRY,
    );
    expect(set.nonDefault()).toEqual([
      { name: "mglru.incMinSeq.batchSizes", value: true },
      { name: "mglru.stats.trimmed", value: true },
      { name: "lruCache.drainRule", value: "exceed" },
    ]);
    expect(set.toString()).toBe(
      "mglru.incMinSeq.batchSizes,mglru.stats.trimmed,lruCache.drainRule=exceed",
    );
  });

  it("prints a feature that is on by default and was turned off", () => {
    const registry = new FeatureRegistry([feature("a.on", { default: true }), feature("a.off")]);
    expect(parseFeatures("-a.on", registry).toString()).toBe("-a.on");
    expect(parseFeatures("-a.off", registry).toString()).toBe("");
  });

  it("refuses questions about what there is not", () => {
    const set = parseFeatures("", REGISTRY);
    expect(featureErrorOf(() => set.isOn("mglru.stats.trimed"))).toBe(
      'unknown feature "mglru.stats.trimed"; did you mean mglru.stats.trimmed?',
    );
    expect(featureErrorOf(() => set.isOn("lruCache.drainRule"))).toBe(
      'feature lruCache.drainRule is "reach", neither on nor off',
    );
  });

  it.each([
    ["mglru.stats.trimmed", "on"],
    ["lruCache.drainRule", true],
    ["lruCache.drainRule", "never"],
  ])("refuses %s = %j", (name, value) => {
    expect(featureErrorOf(() => new FeatureSet(REGISTRY, new Map([[name, value]])))).toBe(
      `feature ${name} cannot be ${JSON.stringify(value)}`,
    );
  });
});

describe("FeatureRegistry refuses", () => {
  it.each([
    ["two of one name", [feature("a"), feature("a")], "feature a is registered twice"],
    [
      "a default that is none of the values",
      [feature("a", { default: "x", values: ["y"] })],
      "feature a: its default must be one of its values, if it has any",
    ],
    [
      "values without a default among them",
      [feature("a", { values: ["y"] })],
      "feature a: its default must be one of its values, if it has any",
    ],
    [
      "a value as the default of a switch",
      [feature("a", { default: "x" })],
      "feature a: its default must be one of its values, if it has any",
    ],
    [
      "requirements that do not exist",
      [feature("a", { requires: ["b"] })],
      'unknown feature "b"; did you mean a?',
    ],
  ])("%s", (_, features, message) => {
    expect(featureErrorOf(() => new FeatureRegistry(features))).toBe(message);
  });
});

describe("FeatureRegistry.series", () => {
  it("gives the patches in patch order", () => {
    expect(REGISTRY.series("secondary-mmu").map(({ patch }) => patch)).toEqual([1, 2]);
  });
});
