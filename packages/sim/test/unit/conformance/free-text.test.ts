import { describe, expect, it } from "vitest";
import {
  comparableLines,
  withoutAge,
  withoutMemcgId,
  withoutRootRecord,
} from "../../../src/conformance/free-text.ts";

describe("free field 1: ages", () => {
  it.each([
    ["          3        200         40           0 ", "          3 <age>         40           0 "],
    ["         22         12          0x          7 ", "         22 <age>          0x          7 "],
  ])("are left out of %j", (line, kept) => {
    expect(withoutAge(line)).toBe(kept);
  });

  it.each([
    ["a memcg line", "memcg 28 /t"],
    ["a node line", " node     0"],
    [
      "a tier line",
      "                     0          0r          0e          0p          0r          0e          0p",
    ],
    [
      "a tier line of the youngest",
      "                     0          0R          0T          0x          4R         56T          0x",
    ],
    [
      "the walk's counters",
      "                               64T         40Y          1F          1A",
    ],
    ["an age out of its column", "          3       200         40           0 "],
    [
      "an age with a leading 0 beyond its column",
      "          3 00000000200         40           0 ",
    ],
    ["an age that is no number", "          3         -1         40           0 "],
  ])("%s stays", (_, line) => {
    expect(withoutAge(line)).toBe(line);
  });

  it("wider than their column are ages all the same", () => {
    expect(withoutAge("          3 12345678901         40           0 ")).toBe(
      "          3 <age>         40           0 ",
    );
  });
});

describe("free field 2: the memcg number", () => {
  it("is left out, the path is not", () => {
    expect(withoutMemcgId("memcg 28 /t")).toBe("memcg <id> /t");
    expect(withoutMemcgId("memcg 7 /t/u")).toBe("memcg <id> /t/u");
  });

  it.each(["memcg x /t", " memcg 28 /t", "memcg 28", " node     0"])("stays in %j", (line) => {
    expect(withoutMemcgId(line)).toBe(line);
  });
});

describe("free field 5: the root memcg's record", () => {
  const lines = ["memcg 1 /", " node 0", "a", "memcg 28 /t", " node 0", "b"];

  it("is left out up to the next memcg line", () => {
    const kept = withoutRootRecord(lines.map((text, at) => ({ at, text })));
    expect(kept.map(({ at }) => at)).toEqual([3, 4, 5]);
  });

  it("is free in cat of lru_gen and lru_gen_full only", () => {
    const cat = "cat /sys/kernel/debug/lru_gen";
    expect(comparableLines("text", cat, lines)).toHaveLength(3);
    expect(comparableLines("text", `${cat}_full`, lines)).toHaveLength(3);
    expect(comparableLines("text", "cat /proc/meminfo", lines)).toHaveLength(6);
    expect(comparableLines("lru_gen", "text a", lines)).toHaveLength(6);
  });
});

describe("other files", () => {
  it("are compared as they stand, even if a line looks like a generation", () => {
    const line = "          3        200         40           0 ";
    expect(comparableLines("text", "cat /proc/x", [line])).toEqual([{ at: 0, text: line }]);
  });
});
