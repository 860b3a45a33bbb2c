import { describe, expect, test } from "vitest";
import {
  formatLruGen,
  maxSeqOf,
  minSeqOf,
  type LruGenGeneration,
  type LruGenMemcg,
  type LruGenTier,
} from "../../src/index.ts";

const none = { value: 0, mark: "x" } as const;
const tier: LruGenTier = { anon: [none, none, none], file: [none, none, none] };

function generation(seq: number, more: Partial<LruGenGeneration> = {}): LruGenGeneration {
  const size = { value: seq * 10, mark: " " } as const;
  return { seq, ageMs: 4, anon: size, file: size, tiers: [], mmStats: [], ...more };
}

const memcgOf = (...generations: LruGenGeneration[]): LruGenMemcg => ({
  id: 28,
  path: "/t",
  nodes: [{ node: 0, generations }],
});

describe("formatLruGen", () => {
  test("prints the columns of the short file (TXT-02, TXT-03, TXT-05)", () => {
    expect(formatLruGen([memcgOf(generation(2), generation(3))], { full: false })).toEqual([
      "memcg 28 /t",
      " node     0",
      "          2          4         20          20 ",
      "          3          4         30          30 ",
    ]);
  });

  test("prints tiers and statistics in the full file (TXT-07, TXT-08)", () => {
    const full = generation(3, {
      anon: { value: 1, mark: "x" },
      tiers: [
        { ...tier, anon: [{ value: 7, mark: "R" }, { value: 8, mark: "T" }, none] },
        tier,
        tier,
        tier,
      ],
      mmStats: [
        { value: 1, mark: "T" },
        { value: 2, mark: "Y" },
        { value: 3, mark: "F" },
        { value: 4, mark: "A" },
      ],
    });
    expect(formatLruGen([memcgOf(full)], { full: true }).slice(2)).toEqual([
      "          3          4          1x         30 ",
      "                     0          7R          8T          0x          0x          0x          0x",
      "                     1          0x          0x          0x          0x          0x          0x",
      "                     2          0x          0x          0x          0x          0x          0x",
      "                     3          0x          0x          0x          0x          0x          0x",
      "                                1T          2Y          3F          4A",
    ]);
  });

  test("leaves marks, and what is older than both min_seq, out of the short file (TXT-04, TXT-05)", () => {
    const old = { value: 0, mark: "x" } as const;
    const record = memcgOf(
      generation(0, { anon: old, file: old }),
      generation(1, { anon: old }),
      generation(2),
    );
    expect(formatLruGen([record], { full: false }).slice(2)).toEqual([
      "          1          4          0          10 ",
      "          2          4         20          20 ",
    ]);
    const [node] = record.nodes;
    expect([maxSeqOf(node!), minSeqOf(node!, "anon"), minSeqOf(node!, "file")]).toEqual([2, 2, 1]);
  });

  test.each<[string, LruGenMemcg, string]>([
    [
      "a fraction",
      memcgOf(generation(1, { ageMs: 0.5 })),
      "memcg 28 /t has ageMs = 0.5, expected an integer from 0 to 2^53 - 1",
    ],
    [
      "a negative size",
      memcgOf(generation(1, { file: { value: -1, mark: " " } })),
      "memcg 28 /t has file = -1, expected an integer from 0",
    ],
    ["no generation", memcgOf(), "memcg 28 /t has 0 generations on node 0, expected 1 to 4"],
    [
      "five generations",
      memcgOf(...[0, 1, 2, 3, 4].map((seq) => generation(seq))),
      "memcg 28 /t has 5 generations on node 0, expected 1 to 4",
    ],
    ["no tiers", memcgOf(generation(1)), "memcg 28 /t has 0 tiers in generation 1, expected 4"],
    ["no node", { id: 28, path: "/t", nodes: [] }, "memcg 28 /t has no node"],
    [
      "a line end in the path",
      { ...memcgOf(generation(1)), path: "/a\nb" },
      '"/a\\nb" has a line end in its path',
    ],
  ])("refuses %s", (_what, record, message) => {
    expect(() => formatLruGen([record], { full: true })).toThrow(message);
  });
});

test("a node without generations has neither min_seq nor max_seq", () => {
  const empty = { node: 1, generations: [] };
  expect(() => maxSeqOf(empty)).toThrow("node 1 has no generation");
  expect(() => minSeqOf(empty, "file")).toThrow("node 1 has no file generation");
});
