import { formatLruGen, readLruGen } from "@lrugen/formats";
import { type Memcg, PG_SWAPBACKED, singleNode } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { lruGenRecords } from "../../src/index.ts";
import { Machine } from "../machine.ts";

function text(m: Machine, full: boolean, memcg: Memcg = m.memcg): string {
  return formatLruGen(lruGenRecords(memcg, m.memory.clock.jiffies), { full }).join("\n");
}

/** The text as the kernel prints it, with ␠ for blanks at the end of a line. */
const kernel = (lines: string): string => lines.replaceAll("␠", " ").trim();

test("lru_gen of a fresh cgroup, as the reference kernel printed it (TXT-02..05)", () => {
  const m = new Machine();
  m.memory.clock.sleep(32);
  expect(text(m, false).trim()).toBe(
    kernel(`
memcg 28 /t
 node     0
          0         32          0           0␠
          1         32          0           0␠
          2         32          0           0␠
          3         32          0           0␠
`),
  );
});

test("lru_gen_full after a few passes, as the reference kernel printed it (TXT-05..08)", () => {
  const m = new Machine();
  const { lrugen } = m.lruvec;
  m.memory.clock.sleep(320);
  lrugen.minSeq.set([0, 1]);
  m.lruvec.lrugen.nrPages[(1 * 2 + 1) * 5 + 1] = 2107;
  lrugen.evicted.set([0, 0, 0, 0, 2, 1, 0, 0]);
  const lines = text(m, true).split("\n");
  expect(lines.slice(0, 13).join("\n")).toBe(
    kernel(`
memcg 28 /t
 node     0
          0        320          0           0x
                     0          0r          0e          0p          0x          0x          0x
                     1          0r          0e          0p          0x          0x          0x
                     2          0r          0e          0p          0x          0x          0x
                     3          0r          0e          0p          0x          0x          0x
                                0x          0x          0x          0x
          1        320          0        2107␠
                     0          0x          0x          0x          0r          2e          0p
                     1          0x          0x          0x          0r          1e          0p
                     2          0x          0x          0x          0r          0e          0p
                     3          0x          0x          0x          0r          0e          0p
`),
  );
  expect(lines.slice(-6).join("\n")).toBe(
    kernel(`
          3        320          0           0␠
                     0          0R          0T          0x          0R          0T          0x
                     1          0R          0T          0x          0R          0T          0x
                     2          0R          0T          0x          0R          0T          0x
                     3          0R          0T          0x          0R          0T          0x
                                0T          0Y          0F          0A
`).replace(/^/, "          "),
  );
});

const seqs = (records: ReturnType<typeof lruGenRecords>): number[] =>
  records[0]!.nodes[0]!.generations.map(({ seq }) => seq);

describe("lruGenRecords", () => {
  test("shows a memcg and everything below it, parents first, nodes in order (TXT-01)", () => {
    const m = new Machine({ nodes: [...singleNode(1024), ...singleNode(1024)] });
    m.memory.createMemcg(m.memory.createMemcg(m.memcg, 30, "a"), 40, "b");
    m.memory.createMemcg(m.memory.root, 31, "u");
    const records = lruGenRecords(m.memory.root, 0);
    expect(records.map(({ id, path }) => `${id} ${path}`)).toEqual([
      "1 /",
      "28 /t",
      "30 /t/a",
      "40 /t/a/b",
      "31 /u",
    ]);
    expect(records.map(({ nodes }) => nodes.map(({ node }) => node))).toEqual(
      records.map(() => [0, 1]),
    );
  });

  test.each([
    [3, [0, 0], [0, 1, 2, 3], [0, 1, 2, 3]],
    [4, [1, 2], [1, 2, 3, 4], [1, 2, 3, 4]],
    [9, [8, 8], [6, 7, 8, 9], [8, 9]],
    [9, [8, 7], [6, 7, 8, 9], [7, 8, 9]],
  ])(
    "max_seq %i, min_seq %j: the full file has generations %j, the short one %j (TXT-04, MINV-38)",
    (maxSeq, minSeq, full, short) => {
      const m = new Machine();
      m.lruvec.lrugen.maxSeq = maxSeq;
      m.lruvec.lrugen.minSeq.set(minSeq);
      expect(seqs(lruGenRecords(m.memcg, 0))).toEqual(full);
      expect(seqs([...readLruGen(text(m, false).split("\n"), "short")])).toEqual(short);
    },
  );

  test("ages are milliseconds since the slot was opened (TXT-05)", () => {
    const m = new Machine();
    m.memory.clock.sleep(1000);
    m.age();
    m.memory.clock.sleep(42);
    const { generations } = lruGenRecords(m.memcg, m.memory.clock.jiffies)[0]!.nodes[0]!;
    expect(generations.map(({ seq, ageMs }) => [seq, ageMs])).toEqual([
      [1, 1040],
      [2, 1040],
      [3, 1040],
      [4, 40],
    ]);
  });

  test("sizes add up the zones, and a zone below zero counts as empty (TXT-05, SZB-03, MINV-38)", () => {
    const m = new Machine();
    m.lruvec.lrugen.nrPages.set([0, 5, -3, 2, 0], (2 * 2 + 0) * 5);
    m.lruvec.lrugen.nrPages.set([0, -1, 0, 0, 0], (2 * 2 + 1) * 5);
    const { anon, file } = lruGenRecords(m.memcg, 0)[0]!.nodes[0]!.generations[2]!;
    expect([anon, file]).toEqual([
      { value: 7, mark: " " },
      { value: 0, mark: " " },
    ]);
  });

  test("a slot below min_seq is marked, and still shows what is in it (TXT-05, TXT-06)", () => {
    const m = new Machine();
    m.lruvec.lrugen.maxSeq = 6;
    m.lruvec.lrugen.minSeq.set([5, 3]);
    m.lruvec.lrugen.nrPages[1] = 9;
    const marks = lruGenRecords(m.memcg, 0)[0]!.nodes[0]!.generations.map(({ anon, file }) => [
      anon,
      file,
    ]);
    const empty = { value: 0, mark: " " };
    expect(marks).toEqual([
      [{ value: 0, mark: "x" }, empty],
      [{ value: 9, mark: "x" }, empty],
      [empty, empty],
      [empty, empty],
    ]);
  });

  test("tiers: averages at max_seq, history at the type's own min_seq, nothing between (TXT-07)", () => {
    const m = new Machine();
    const { lrugen } = m.lruvec;
    lrugen.minSeq.set([1, 0]);
    for (const [i, field] of (
      ["avgRefaulted", "avgTotal", "refaulted", "evicted", "protected"] as const
    ).entries()) {
      lrugen[field].set([0, 1, 2, 3, 4, 5, 6, 7].map((slot) => 10 * (i + 1) + slot));
    }
    const tier2 = lruGenRecords(m.memcg, 0)[0]!.nodes[0]!.generations.map(({ tiers }) =>
      (["anon", "file"] as const).map((type) =>
        tiers[2]![type].map(({ value, mark }) => `${value}${mark}`).join(" "),
      ),
    );
    expect(tier2).toEqual([
      ["0x 0x 0x", "36r 46e 56p"],
      ["32r 42e 52p", "0x 0x 0x"],
      ["0x 0x 0x", "0x 0x 0x"],
      ["12R 22T 0x", "16R 26T 0x"],
    ]);
  });

  test("walk counters stand at max_seq only (TXT-08)", () => {
    const m = new Machine();
    m.lruvec.mmState.stats.set([512, 64, 1, 1]);
    const rows = lruGenRecords(m.memcg, 0)[0]!.nodes[0]!.generations.map(({ mmStats }) =>
      mmStats.map(({ value, mark }) => `${value}${mark}`).join(" "),
    );
    expect(rows).toEqual(["0x 0x 0x 0x", "0x 0x 0x 0x", "0x 0x 0x 0x", "512T 64Y 1F 1A"]);
  });

  test("reading changes nothing and takes no lock (TXT-10)", () => {
    const m = new Machine();
    const folio = m.onList(1, PG_SWAPBACKED);
    const before = m.flags(folio);
    lruGenRecords(m.memory.root, 0);
    expect([m.flags(folio), m.lruvec.lock.acquisitions]).toEqual([before, 0]);
  });
});
