import { describe, expect, it } from "vitest";
import { parseMemorySize, parseNumber } from "../../../src/scenario/number.ts";

describe("numbers", () => {
  it.each([
    ["0", 0],
    ["42", 42],
    ["+7", 7],
    ["0x1F", 31],
    ["0X1f", 31],
    ["010", 8],
    ["00", 0],
    ["4K", 4096],
    ["4k", 4096],
    ["2M", 2097152],
    ["0x10K", 16384],
  ])("reads %s as %d, as strtoull in base 0", (word, value) => {
    expect(parseNumber(word)).toBe(value);
  });

  it.each(["", "K", "-1", "08", "0x", "1G", "4Kb", "1.5", "1e3", " 1", "99999999999999999999"])(
    "refuses %j",
    (word) => {
      expect(parseNumber(word)).toBeNull();
    },
  );

  it.each([
    ["512M", 536870912],
    ["1G", 1073741824],
    ["2g", 2147483648],
    ["65536K", 67108864],
    ["384", 402653184],
  ])("reads the memory size %s, bare numbers in MiB", (word, bytes) => {
    expect(parseMemorySize(word)).toBe(bytes);
  });

  it.each(["", "0", "0M", "M", "1GB", "-1M", "1.5G", "99999999T"])(
    "refuses the memory size %j",
    (word) => {
      expect(parseMemorySize(word)).toBeNull();
    },
  );
});
