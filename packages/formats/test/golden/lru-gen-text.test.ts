import { describe, expect, test } from "vitest";
import {
  formatLruGen,
  isFull,
  maxSeqOf,
  minSeqOf,
  readLruGen,
  type LruGenMemcg,
} from "../../src/index.ts";
import smoke from "../data/00-smoke.lru_gen.txt?raw";
import smokeFull from "../data/00-smoke.lru_gen_full.txt?raw";
import textFormat from "../data/29-text-format.lru_gen.txt?raw";
import textFormatFull from "../data/29-text-format.lru_gen_full.txt?raw";
import manyMemcgs from "../data/lru_gen.host-many-memcgs.synthetic.txt?raw";

const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n");
const withoutAge = (lines: string[]): string[] =>
  lines.map((line) => line.replace(/^( +\d+) +\d+/, "$1"));
const read = (lines: Iterable<string>): LruGenMemcg[] => [...readLruGen(lines, "lru_gen")];

describe("text printed by Linux 7.3.4 comes back byte for byte (TXT-02 .. TXT-08)", () => {
  test.each([
    { name: "00-smoke lru_gen", text: smoke, full: false, records: 1 },
    { name: "00-smoke lru_gen_full", text: smokeFull, full: true, records: 1 },
    { name: "29-text-format lru_gen", text: textFormat, full: false, records: 7 },
    { name: "29-text-format lru_gen_full", text: textFormatFull, full: true, records: 9 },
  ])("$name", ({ text, full, records }) => {
    const memcgs = read(text.split("\n"));
    expect(memcgs).toHaveLength(records);
    expect(memcgs.every(isFull)).toBe(full);
    expect(
      formatLruGen(memcgs, { full })
        .map((line) => `${line}\n`)
        .join(""),
    ).toBe(text);
  });
});

test("the full record of a memcg also gives its line of the short file, ages aside (TXT-04)", () => {
  const full = read(linesOf(textFormatFull)).slice(0, 7);
  expect(withoutAge(formatLruGen(full, { full: false }))).toEqual(withoutAge(linesOf(textFormat)));
});

test("a record says what the text says", () => {
  const evicted = read(linesOf(textFormatFull))[4]!;
  expect([evicted.id, evicted.path, evicted.nodes.length]).toEqual([28, "/t", 1]);
  const node = evicted.nodes[0]!;
  expect([node.node, maxSeqOf(node), minSeqOf(node, "anon"), minSeqOf(node, "file")]).toEqual([
    0, 6, 3, 3,
  ]);
  const oldest = node.generations[0]!;
  expect([oldest.anon, oldest.file]).toEqual([
    { value: 48, mark: " " },
    { value: 48, mark: " " },
  ]);
  expect(oldest.tiers[0]!.file[1]).toEqual({ value: 16, mark: "e" });
});

test("text of early kernels is read: padded ids and -0 for a generation older than min_seq (TXT-02)", () => {
  const memcgs = read(linesOf(manyMemcgs));
  expect(memcgs.map(({ id, path }) => [id, path])).toEqual([
    [1, "/"],
    [2, "/init.scope"],
  ]);
  const node = memcgs[0]!.nodes[0]!;
  expect(node.generations.map(({ seq, anon, file }) => [seq, anon.value, file.value])).toEqual([
    [0, 0, 0],
    [1, 12, 0],
    [2, 0, 0],
    [3, 1265, 2471],
  ]);
  expect([minSeqOf(node, "anon"), minSeqOf(node, "file")]).toEqual([0, 1]);
});
