import { describe, expect, test } from "vitest";
import {
  FormatError,
  formatLruGen,
  isFull,
  LruGenReader,
  readLruGen,
  type LruGenMemcg,
} from "../../src/index.ts";

const read = (lines: Iterable<string>): LruGenMemcg[] => [...readLruGen(lines, "dump.txt")];

const TIERS = [0, 1, 2, 3].map(
  (tier) =>
    `                     ${tier}          1R          2T          0x          3R          4T          0x`,
);
const STATS = "                                5T          6Y          7F          8A";
const GENERATION = "          0         52          9          10 ";
const SIX_BLANKS = Array.from({ length: 6 }, () => "0 ").join("          ");
const FULL = ["memcg 28 /t", " node     0", GENERATION, ...TIERS, STATS];

describe("what is read", () => {
  test("every field of a full generation", () => {
    const tier = {
      anon: [
        { value: 1, mark: "R" },
        { value: 2, mark: "T" },
        { value: 0, mark: "x" },
      ],
      file: [
        { value: 3, mark: "R" },
        { value: 4, mark: "T" },
        { value: 0, mark: "x" },
      ],
    };
    const generation = {
      seq: 0,
      ageMs: 52,
      anon: { value: 9, mark: " " },
      file: { value: 10, mark: " " },
      tiers: [tier, tier, tier, tier],
      mmStats: [
        { value: 5, mark: "T" },
        { value: 6, mark: "Y" },
        { value: 7, mark: "F" },
        { value: 8, mark: "A" },
      ],
    };
    expect(read(FULL)).toEqual([
      { id: 28, path: "/t", nodes: [{ node: 0, generations: [generation] }] },
    ]);
  });

  test("numbers that outgrow their columns", () => {
    const line = " 12345678901 23456789012 345678901234x          0 ";
    const [memcg] = read(["memcg 4294967297 /a b", " node     0", line]);
    expect([memcg!.id, memcg!.path]).toEqual([4294967297, "/a b"]);
    expect(memcg!.nodes[0]!.generations[0]).toMatchObject({
      seq: 12345678901,
      ageMs: 23456789012,
      anon: { value: 345678901234, mark: "x" },
    });
  });

  test("several nodes, and the pseudo-memcg of a kernel without the memory controller (TXT-01)", () => {
    const lines = ["memcg 0 ", " node     0", GENERATION, " node     2", GENERATION];
    const [memcg] = read(lines);
    expect([memcg!.id, memcg!.path, memcg!.nodes.map(({ node }) => node)]).toEqual([0, "", [0, 2]]);
    expect(formatLruGen([memcg!], { full: false })).toEqual(lines);
  });

  test("a full file without page-table walks", () => {
    const lines = ["memcg 28 /t", " node     0", GENERATION, ...TIERS];
    const [memcg] = read(lines);
    expect(isFull(memcg!)).toBe(true);
    expect(formatLruGen([memcg!], { full: true })).toEqual(lines);
  });

  test("6.x text: six walk counters and spaces where 7.3 has x (S2-PRE-06)", () => {
    const lines = [
      "memcg    72 /old",
      " node     0",
      "          7       3200          1x          0x",
      ...[0, 1, 2, 3].map((tier) => `                     ${tier}          ${SIX_BLANKS}`),
      `                                ${SIX_BLANKS}`,
      "          8        800     123456          13 ",
      ...[0, 1, 2, 3].map(
        (tier) =>
          `                     ${tier}       1234R     345678T          0           0R          1T          0 `,
      ),
      "                          6000000L    3500000O    2500000Y      90000N      18000F      10000A",
    ];
    const [memcg] = read(lines);
    const [older, newest] = memcg!.nodes[0]!.generations;
    expect(older!.mmStats.map(({ mark }) => mark).join("")).toBe("      ");
    expect(newest!.mmStats.map(({ mark }) => mark).join("")).toBe("LOYNFA");
    expect(newest!.tiers[3]!.anon.map(({ mark }) => mark)).toEqual(["R", "T", " "]);
    expect(formatLruGen([memcg!], { full: true })).toEqual(["memcg 72 /old", ...lines.slice(1)]);
  });

  test("text that lost its trailing blanks reads the same", () => {
    const lines = [
      "memcg 28 /t",
      " node     0",
      GENERATION,
      "          1         52          9           0x",
    ];
    expect(read(lines.map((line) => line.trimEnd()))).toEqual(read(lines));
  });

  test("dumps that follow each other, with empty lines between", () => {
    expect(read(["", ...FULL, "", ...FULL, ""])).toHaveLength(2);
  });

  test("one memcg is held at a time: each comes as soon as the next begins", () => {
    const reader = new LruGenReader("dump.txt");
    const before = FULL.map((line) => reader.push(line));
    expect(before.every((memcg) => memcg === undefined)).toBe(true);
    expect(reader.push("memcg 29 /u")?.id).toBe(28);
    expect(reader.push(" node     0")).toBe(undefined);
    reader.push(GENERATION);
    expect(reader.end().id).toBe(29);
  });
});

/** The message of the error that reading `lines` raises. */
function messageOf(lines: readonly string[]): string {
  try {
    read(lines);
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
  return "no error";
}

const HEAD = ["memcg 28 /t", " node     0"];
const generation = (seq: number): string =>
  `${String(seq).padStart(11)}         52          0           0 `;

describe("what is refused, with file, line, what was found and what was expected", () => {
  test.each<[string, readonly string[], string]>([
    ["nothing", [], "dump.txt:1: found the end, expected a memcg line"],
    [
      "another file",
      ["MemTotal:  1 kB"],
      'dump.txt:1: found "MemTotal:  1 kB", expected a memcg, node, generation, tier or statistics line',
    ],
    ["a node first", [" node     0"], 'dump.txt:1: found " node     0", expected a memcg line'],
    [
      "a generation first",
      [generation(0)],
      `dump.txt:1: found "${generation(0)}", expected a memcg line`,
    ],
    [
      "a memcg without nodes",
      ["memcg 1 /", "memcg 2 /a"],
      'dump.txt:2: found "memcg 2 /a", expected a node line',
    ],
    [
      "a generation without node",
      ["memcg 1 /", generation(0)],
      `dump.txt:2: found "${generation(0)}", expected a node line`,
    ],
    ["a node without generations", HEAD, "dump.txt:3: found the end, expected a generation line"],
    [
      "nodes out of order",
      [...HEAD, generation(0), " node     0"],
      'dump.txt:4: found " node     0", expected a node from 1 to 1023',
    ],
    [
      "a skipped generation",
      [...HEAD, generation(3), generation(5)],
      `dump.txt:4: found "${generation(5)}", expected generation 4`,
    ],
    [
      "five generations",
      [...HEAD, ...[0, 1, 2, 3, 4].map(generation)],
      `dump.txt:7: found "${generation(4)}", expected at most 4 generations`,
    ],
    [
      "a word for a number",
      [...HEAD, "          0        abc          0           0 "],
      'dump.txt:3: found "abc", expected a decimal number below 2^53',
    ],
    [
      "a number too large",
      ["memcg 18446744073709551615 /"],
      'dump.txt:1: found "18446744073709551615", expected a decimal number below 2^53',
    ],
    [
      "a wrong size mark",
      [...HEAD, "          0         52          0           0e"],
      'dump.txt:3: found "0e", expected a number followed by a space or one of x',
    ],
    [
      "a missing column",
      [...HEAD, "          0         52          0"],
      'dump.txt:3: found "          0         52          0", expected a generation line (seq, age in ms, anon pages, file pages)',
    ],
    [
      "Windows line ends",
      ["memcg 1 /\r"],
      'dump.txt:1: found "memcg 1 /\\r", expected a memcg, node, generation, tier or statistics line',
    ],
  ])("%s", (_what, lines, message) => {
    expect(messageOf(lines)).toBe(message);
  });

  test("a line that is absurdly long, without repeating all of it", () => {
    expect(messageOf([`memcg 1 /${"a".repeat(10_000)}`])).toBe(
      `dump.txt:1: found "memcg 1 /${"a".repeat(51)}…", expected a line of at most 8192 characters`,
    );
  });
});

describe("tier and statistics lines out of place are refused", () => {
  test.each<[string, readonly string[], string]>([
    ["tiers before any generation", [...HEAD, TIERS[0]!], "expected a generation line"],
    ["a tier left out", [...HEAD, GENERATION, TIERS[0]!, TIERS[2]!], "expected tier 1"],
    [
      "a fifth tier",
      [...HEAD, GENERATION, ...TIERS, TIERS[3]!.replace("3", "4")],
      "expected the next generation, node or memcg",
    ],
    ["statistics before the last tier", [...HEAD, GENERATION, TIERS[0]!, STATS], "expected tier 1"],
    ["statistics twice", [...FULL, STATS], "expected the next generation, node or memcg"],
    [
      "an end within the tiers",
      [...HEAD, GENERATION, TIERS[0]!, TIERS[1]!],
      "dump.txt:6: found the end, expected tier 2",
    ],
    [
      "a short generation after a full one",
      [...FULL, generation(1)],
      "dump.txt:10: found the end, expected tier 0",
    ],
    [
      "a full generation after a short one",
      [...HEAD, GENERATION, generation(1), ...TIERS],
      "expected generation 1 to have as many tiers and statistics as generation 0",
    ],
    [
      "a generation without statistics after one with",
      [...FULL, generation(1), ...TIERS],
      "expected generation 1 to have as many tiers and statistics as generation 0",
    ],
    [
      "a letter in the wrong column",
      [...HEAD, GENERATION, TIERS[0]!.replace("1R", "1T")],
      'found "1T", expected a number followed by a space or one of x, R, r',
    ],
    [
      "five counters",
      [...HEAD, GENERATION, ...TIERS, `${STATS}          9A`],
      "expected a statistics line of 4 or 6 fields",
    ],
    [
      "a counter with another's letter",
      [...HEAD, GENERATION, ...TIERS, STATS.replace("6Y", "6F")],
      'found "6F", expected a number followed by a space or one of x, Y, y',
    ],
    [
      "a tier line that is cut",
      [...HEAD, GENERATION, TIERS[0]!.slice(0, 60)],
      "expected a tier line (tier, three anon and three file fields)",
    ],
  ])("%s", (_what, lines, message) => {
    expect(messageOf(lines)).toContain(message);
  });

  test("the error says where", () => {
    const place = { name: "FormatError", source: "dump.txt", line: 3 };
    expect(() => read([...HEAD, "x"])).toThrow(expect.objectContaining(place));
  });
});
