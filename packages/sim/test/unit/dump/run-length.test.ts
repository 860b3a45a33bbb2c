import * as fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import {
  decodeRunLengths,
  encodeRunLengths,
  RunLengthEncoder,
} from "../../../src/dump/run-length.ts";

const numRuns = inject("soak") ? 20000 : 200;

describe("run-length strings", () => {
  it.each([
    ["", ""],
    ["Y", "Y1"],
    [`${"Y".repeat(40)}${".".repeat(24)}`, "Y40.24"],
    ["yOyO", "y1O1y1O1"],
  ])("%j is coded as %j", (text, coded) => {
    expect(encodeRunLengths(text)).toBe(coded);
    expect(decodeRunLengths(coded)).toBe(text);
  });

  it("join runs pushed in pieces; a run of nothing leaves no trace", () => {
    const encoder = new RunLengthEncoder();
    encoder.push("L", 31);
    encoder.push("L");
    encoder.push("b", 0);
    encoder.push("L", 2);
    encoder.push(".");
    expect(encoder.finish()).toBe("L34.1");
    expect(encoder.finish()).toBe("");
  });

  it("start afresh after finish, with the same character too", () => {
    const encoder = new RunLengthEncoder();
    encoder.push("Y");
    expect(encoder.finish()).toBe("Y1");
    encoder.push("Y");
    expect(encoder.finish()).toBe("Y1");
  });

  it("survive coding and decoding", () => {
    const text = fc.string({
      unit: fc.constantFrom(".", "s", "o", "O", "y", "Y", "b"),
      maxLength: 100,
    });
    fc.assert(
      fc.property(text, (pages) => {
        expect(decodeRunLengths(encodeRunLengths(pages))).toBe(pages);
      }),
      { numRuns },
    );
  });

  it.each([
    ["Y", 'offset 0: found "Y", expected a character and its count'],
    ["Y3.", 'offset 2: found ".", expected a character and its count'],
    ["Y3.0", 'offset 2: found ".0", expected a character and its count'],
    ["12", 'offset 0: found "12", expected a character and its count'],
  ])("refuse %j", (coded, message) => {
    expect(() => decodeRunLengths(coded)).toThrow(message);
  });
});
