import { expect, it } from "vitest";
import { formatCount, formatDecimal } from "../../src/index.ts";

it.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [131_072, "131,072"],
  [-1_234_567, "-1,234,567"],
  [-100, "-100"],
  [Number.MAX_SAFE_INTEGER, "9,007,199,254,740,991"],
])("%d is %s", (value, text) => {
  expect(formatCount(value)).toBe(text);
});

it("a decimal keeps its digits, zeros too", () => {
  expect(formatDecimal(4.99, 3)).toBe("4.990");
});
