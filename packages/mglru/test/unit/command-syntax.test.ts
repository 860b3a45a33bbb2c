import { describe, expect, test } from "vitest";
import { parseCommand, splitCommands } from "../../src/index.ts";

const ALL_ONES = 0xffff_ffff_ffff_ffffn;

describe("splitCommands (CMD-02)", () => {
  test.each([
    ["", []],
    [" ", []],
    ["\n", []],
    [" , ;\t\n", []],
    ["+ 1 0 3", ["+ 1 0 3"]],
    [" \t+ 1 0 3 ", ["+ 1 0 3 "]],
    ["+ 1 0 3,- 1 0 1;x\n\n* ", ["+ 1 0 3", "- 1 0 1", "x", "* "]],
  ])("%j is %j", (text, pieces) => {
    expect(splitCommands(text)).toEqual(pieces);
  });

  test("only ASCII blanks are skipped: another one is a command, and a wrong one", () => {
    expect(splitCommands("\u00a0;\u2003")).toEqual(["\u00a0", "\u2003"]);
  });
});

describe("parseCommand", () => {
  const fields = { verb: "+", memcgId: 28n, node: 0, seq: 3n, swappiness: null, option: ALL_ONES };

  test.each([
    ["+ 28 0 3", {}],
    ["+28 0 3", {}],
    ["+\t28  0\v\f\r3 ", {}],
    ["- 28 0 3", { verb: "-" }],
    ["* 28 0 3", { verb: "*" }],
    ["+ 0028 00 003", {}],
    ["+ 28 0 3 60", { swappiness: "60" }],
    ["+ 28 0 3 max 0", { swappiness: "max", option: 0n }],
    ["+ 28 0 3 maxx", { swappiness: "maxx" }],
    ["+ 28 0 3 60 17  ", { swappiness: "60", option: 17n }],
    ["+ 28 0 3.", { swappiness: "." }],
    ["+ 28 0 3 00001", { swappiness: "0000", option: 1n }],
    ["+ 28 0 3 10000", { swappiness: "1000", option: 0n }],
    ["+ 28 0 3 12345 ", { swappiness: "1234", option: 5n }],
  ])("%j has its fields (CMD-01, CMD-03, CMD-05)", (text, changes) => {
    expect(parseCommand(text)).toEqual({ ...fields, ...changes });
  });

  test.each([
    ["+ 28 4294967296 3", { node: 0 }],
    ["+ 28 4294967297 3", { node: 1 }],
    ["+ 28 4294967295 3", { node: 0xffff_ffff }],
    ["+ 28 0 18446744073709551615", { seq: ALL_ONES }],
    ["+ 28 0 18446744073709551619", { seq: ALL_ONES }],
    ["+ 18446744073709551644 0 3", { memcgId: ALL_ONES }],
    ["+ 28 0 3 60 18446744073709551616", { swappiness: "60", option: ALL_ONES }],
    ["+ 28 0 3 60 00000000000000000000001", { swappiness: "60", option: 1n }],
    ["+ 28 0 00000000000000000000003", {}],
  ])(
    "%j: the node is cut to 32 bits, 64-bit numbers stop at the largest (CMD-03)",
    (text, changes) => {
      expect(parseCommand(text)).toEqual({ ...fields, ...changes });
    },
  );

  test.each([
    "",
    "+",
    "+ 28",
    "+ 28 0",
    "++ 28 0 3",
    "+ +28 0 3",
    "+ -28 0 3",
    "+ 0x1c 0 3",
    "+ 28,0,3",
    "+ 28 -1 3",
    "+ 28 0 -1",
    "+ 28 0 3 60 x",
    "+ 28 0 3 60 -1",
    "+ 28 0 3 60 0x1",
    "+ 28 0 3 60 1x",
    "+ 28 0 3 60 1 7",
    "+ 28 0 3 maxxx",
    "+\u00a028 0 3",
  ])("%j has too little, too much, or something that is no number (CMD-03)", (text) => {
    expect(parseCommand(text)).toBeNull();
  });
});
