import { systemFeatures } from "@lrugen/sim";
import { expect, it } from "vitest";
import { proposedRules } from "../../../src/index.ts";

it("7.3 uses no proposed rule", () => {
  expect(proposedRules(systemFeatures())).toEqual([]);
});

it("the series uses five, each with the switch it belongs to", () => {
  const rules = proposedRules(systemFeatures("series/inc-min-seq"));
  expect(rules.map(({ rule }) => rule)).toEqual(["S1-02", "S1-03", "S1-05", "S1-07", "S1-08"]);
});

it("a switch brings its own rule only", () => {
  const rules = proposedRules(systemFeatures("mglru.incMinSeq.promotedAhead"));
  expect(rules.map(({ rule, feature }) => [rule, feature])).toEqual([
    ["S1-03", "mglru.incMinSeq.promotedAhead"],
  ]);
});
