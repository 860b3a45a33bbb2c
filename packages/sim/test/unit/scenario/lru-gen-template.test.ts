import { describe, expect, it } from "vitest";
import { substituteLruGen } from "../../../src/scenario/lru-gen-template.ts";

const VARIABLES = { id: 28, max: 5, mina: 2, minf: 3 };

describe("debugfs templates", () => {
  it.each([
    ["+ $ID 0 $MAX 60 ", "+ 28 0 5 60 "],
    ["- $ID 0 $MAX-2 200 8", "- 28 0 3 200 8"],
    ["$MAX+1;$MINA;$MINF-1", "6;2;2"],
    ["+\\t$ID\\n", "+\t28\n"],
    ["$MAXIMUM $MIN $id $", "5IMUM $MIN $id $"],
    ["$MAX+", "5+"],
    ["$MAX+ 1", "5+ 1"],
    ["$MAX--1", "5--1"],
    ["$MAX-2-1", "3-1"],
    ["\\x\\", "\\x\\"],
    ["", ""],
  ])("%j becomes %j", (template, text) => {
    expect(substituteLruGen(template, VARIABLES)).toBe(text);
  });

  it("wraps below zero as an unsigned 64-bit number", () => {
    expect(substituteLruGen("$MINA-3", VARIABLES)).toBe("18446744073709551615");
  });

  it("saturates an offset at the largest long", () => {
    expect(substituteLruGen("$MINA+99999999999999999999", VARIABLES)).toBe("9223372036854775809");
  });

  it("stops when the guest's buffer of 512 bytes is nearly full", () => {
    expect(substituteLruGen("x".repeat(1000), VARIABLES)).toBe("x".repeat(480));
    expect(substituteLruGen(`${"x".repeat(479)}$ID0`, VARIABLES)).toBe(`${"x".repeat(479)}28`);
  });
});
