import { expect, it } from "vitest";
import { renderFacts, renderSection } from "../../src/index.ts";

it("facts have their texts aligned, those of several lines too", () => {
  const facts = [
    ["kernel", "linux-7.3"],
    ["features", "one\ntwo"],
  ] as const;
  expect(renderFacts(facts, false)).toBe("kernel    linux-7.3\nfeatures  one\n          two\n");
});

it("no facts are no text", () => {
  expect(renderFacts([], false)).toBe("");
});

it("a section has a rule as long as its title and one line end", () => {
  expect(renderSection("Order", "kept\n\n", false)).toBe("Order\n-----\nkept\n");
});

it("colour is for labels and titles only", () => {
  expect(renderFacts([["a", "b"]], true)).toBe("\u001B[1ma\u001B[22m  b\n");
  expect(renderSection("T", "b", true)).toBe("\u001B[1mT\u001B[22m\n\u001B[2m-\u001B[22m\nb\n");
});
