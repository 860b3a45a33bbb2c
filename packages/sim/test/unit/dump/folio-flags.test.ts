import { describe, expect, it } from "vitest";
import {
  FOLIO_FLAG_LETTERS,
  folioFlagLetters,
  folioFlagsOf,
  PRINTED_FOLIO_FLAGS,
} from "../../../src/dump/folio-flags.ts";

describe("flag letters (spec section 1.3)", () => {
  it("come in the dump's order, whatever the bits' order", () => {
    expect(folioFlagLetters(0xffffffff)).toBe("KkRUDLAWCPBNMX");
    expect(folioFlagLetters((1 << 2) | (1 << 3) | (1 << 5) | (1 << 17))).toBe("RULB");
    expect(folioFlagLetters(0)).toBe("");
  });

  it.each([
    ["K", 0],
    ["k", 1],
    ["R", 2],
    ["U", 3],
    ["D", 4],
    ["L", 5],
    ["A", 8],
    ["W", 9],
    ["C", 10],
    ["P", 16],
    ["B", 17],
    ["N", 18],
    ["X", 19],
    ["M", 20],
  ])("%s is bit %d", (letter, bit) => {
    expect(folioFlagLetters(1 << bit)).toBe(letter);
    expect(folioFlagsOf(letter)).toBe(1 << bit);
  });

  it("leave out bits without a letter: head, young, idle, generation", () => {
    const silent = ~PRINTED_FOLIO_FLAGS;
    expect(silent & (1 << 6)).not.toBe(0);
    expect(folioFlagLetters(silent)).toBe("");
    expect(FOLIO_FLAG_LETTERS).toHaveLength(14);
  });

  it("refuse a letter that is none", () => {
    expect(() => folioFlagsOf("RZ")).toThrow('found flag "Z", expected one of KkRUDLAWCPBNMX');
  });
});
