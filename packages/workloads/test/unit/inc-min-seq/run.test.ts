import { systemFeatures } from "@lrugen/sim";
import { describe, expect, it } from "vitest";
import {
  type IncMinSeqAging,
  incMinSeqAgings,
  type IncMinSeqOptions,
  runIncMinSeq,
} from "../../../src/index.ts";

const PAGES = 131_072;
const stock = systemFeatures();
const series = systemFeatures("series/inc-min-seq");

/** T Y F A, folios promoted and moved, lru_lock holds, avg_total: a row of S1-13. */
const row = (aging: IncMinSeqAging): readonly number[] => [
  aging.walked,
  aging.young,
  aging.tablesFound,
  aging.tablesAdded,
  aging.promoted,
  aging.moved,
  aging.lockHolds,
  aging.avgTotal,
];

const rows = (options: IncMinSeqOptions): (readonly number[])[] =>
  runIncMinSeq(options).agings.map(row);

/** The next avg_total of a tier that `pages` were protected in: (avg + N) div 2. */
const averages = (pages: number, count: number): number[] => {
  const found = [0];
  for (let i = 1; i < count; i++) found.push(Math.floor(((found[i - 1] as number) + pages) / 2));
  return found;
};

describe("Linux 7.3, 512 MiB in order-0 folios (S1-13)", () => {
  it("drained: 131,072 folios promoted at gen 3, moved from gen 5 on in 32 holds and one more", () => {
    expect(rows({ features: stock, agings: 6 })).toEqual([
      [PAGES, PAGES, 256, 256, PAGES, 0, 1 + 1, 0],
      [PAGES, 0, 256, 0, 0, 0, 0 + 1, 0],
      [PAGES, 0, 256, 0, 0, PAGES, 0 + 33, 65_536],
      [PAGES, 0, 256, 0, 0, PAGES, 0 + 33, 98_304],
      [PAGES, 0, 256, 0, 0, PAGES, 0 + 33, 114_688],
      [PAGES, 0, 256, 0, 0, PAGES, 0 + 33, 122_880],
    ]);
  });

  it("not drained: the last 131,072 mod 31 = 4 pages are walked, and neither young nor on a list", () => {
    const listed = PAGES - 4;
    expect(rows({ features: stock, agings: 6, drain: false })).toEqual([
      [PAGES, listed, 256, 256, listed, 0, 1 + 1, 0],
      [PAGES, 0, 256, 0, 0, 0, 0 + 1, 0],
      [PAGES, 0, 256, 0, 0, listed, 0 + 32, 65_534],
      [PAGES, 0, 256, 0, 0, listed, 0 + 32, 98_301],
      [PAGES, 0, 256, 0, 0, listed, 0 + 32, 114_684],
      [PAGES, 0, 256, 0, 0, listed, 0 + 32, 122_876],
    ]);
  });

  it.each([true, false])("THP=always, drained %s: 256 folios, counted in pages", (drain) => {
    expect(rows({ features: stock, agings: 6, thp: "always", drain })).toEqual([
      [256, 256, 0, 0, 256, 0, 1 + 1, 0],
      [256, 0, 0, 0, 0, 0, 0 + 1, 0],
      [256, 0, 0, 0, 0, 256, 0 + 1, 65_536],
      [256, 0, 0, 0, 0, 256, 0 + 1, 98_304],
      [256, 0, 0, 0, 0, 256, 0 + 1, 114_688],
      [256, 0, 0, 0, 0, 256, 0 + 1, 122_880],
    ]);
  });

  it("gen 9..103 repeat gen 8, but for the average, and the list turns round each time", () => {
    const { agings, orderKept, complete } = runIncMinSeq({ features: stock });
    expect(agings.map(({ seq }) => seq)).toEqual(Array.from({ length: 101 }, (_, i) => i + 3));
    const same = row(agings[5]!).slice(0, -1);
    for (const aging of agings.slice(6)) expect(row(aging).slice(0, -1)).toEqual(same);
    const average = averages(PAGES, 100);
    expect(agings.slice(1).map(({ avgTotal }) => avgTotal)).toEqual(average);
    expect(agings.map(({ order }) => order)).toEqual([
      null,
      null,
      null,
      ...Array.from({ length: 98 }, () => "reversed"),
    ]);
    expect(agings[2]?.promotedOrder).toBe("reversed");
    expect([orderKept, complete]).toEqual([false, true]);
  });

  it("gen 5..8: four times turned, the list is again 131,071 to 0 from head to tail", () => {
    const { agings } = runIncMinSeq({ features: stock, agings: 6 });
    expect(
      agings.map(({ oldestSeq, headPage, tailPage }) => [oldestSeq, headPage, tailPage]),
    ).toEqual([
      [2, 131_071, 0],
      [2, 131_071, 0],
      [3, 0, 131_071],
      [4, 131_071, 0],
      [5, 0, 131_071],
      [6, 131_071, 0],
    ]);
  });
});

describe("8,192 pages (S1-13, LAB)", () => {
  it.each([
    {
      drain: true,
      thp: "never",
      young: 8192,
      walked: 8192,
      holds: 3,
      average: [4096, 6144, 7168, 7680],
    },
    {
      drain: false,
      thp: "never",
      young: 8184,
      walked: 8192,
      holds: 2,
      average: [4092, 6138, 7161, 7672],
    },
    {
      drain: true,
      thp: "always",
      young: 16,
      walked: 16,
      holds: 1,
      average: [4096, 6144, 7168, 7680],
    },
  ] as const)("drained $drain, THP $thp", ({ drain, thp, young, walked, holds, average }) => {
    const { agings } = runIncMinSeq({ features: stock, pages: 8192, agings: 6, drain, thp });
    expect(agings[0]).toMatchObject({ walked, young, promoted: young, lockHolds: 2 });
    expect(agings.slice(2).map(({ avgTotal }) => avgTotal)).toEqual(average);
    expect(agings.slice(2).map(({ lockHolds }) => lockHolds)).toEqual([holds, holds, holds, holds]);
  });
});

describe("a region of 1 GiB and 2 MiB (WALK-05, SZB-04)", () => {
  const pages = 262_144 + 512;

  it("is flushed at the GiB, where more than 4,096 folios have been promoted, and at the end", () => {
    const { agings } = runIncMinSeq({ features: stock, pages, agings: 2 });
    expect(agings.map(({ lockHolds }) => lockHolds)).toEqual([2 + 1, 0 + 1]);
  });

  it("in 2 MiB folios is flushed once: 512 promoted in the GiB do not end a slice", () => {
    const { agings } = runIncMinSeq({ features: stock, pages, agings: 2, thp: "always" });
    expect(agings.map(({ lockHolds }) => lockHolds)).toEqual([1 + 1, 0 + 1]);
  });
});

describe("with the series", () => {
  it("counts and holds are those of 7.3; from gen 6 on a run of 4,096 folios is one splice (S1-07, S1-08)", () => {
    const { agings, orderKept } = runIncMinSeq({ features: series, agings: 6 });
    const before = rows({ features: stock, agings: 6 });
    expect(agings.map((aging) => row(aging).slice(0, -1))).toEqual(
      before.map((r) => r.slice(0, -1)),
    );
    expect(agings.map(({ splices }) => splices)).toEqual([0, 0, 0, 32, 32, 32]);
    expect(orderKept).toBe(true);
  });

  it("gen 5 protects nothing: all it moves was promoted (S1-04)", () => {
    const { agings } = runIncMinSeq({ features: series, agings: 6 });
    const average = [0, 0, 0, ...averages(PAGES, 4).slice(1)];
    expect(agings.map(({ avgTotal }) => avgTotal)).toEqual(average);
  });
});

describe("a run step by step", () => {
  it("ends early when a step is sent true, with the agings so far", () => {
    const steps = incMinSeqAgings({ features: stock, pages: 64, agings: 9 });
    steps.next();
    steps.next(false);
    const { done, value } = steps.next(true);
    expect(done).toBe(true);
    expect(value).toMatchObject({ complete: false, agings: [{ seq: 3 }, { seq: 4 }] });
  });

  it("reports each aging once", () => {
    const seen: number[] = [];
    runIncMinSeq({ features: stock, pages: 64, agings: 3 }, ({ seq }) => seen.push(seq));
    expect(seen).toEqual([3, 4, 5]);
  });

  it("gives the same records each time", () => {
    const options = { features: series, pages: 5000, agings: 12, drain: false };
    expect(runIncMinSeq(options)).toEqual(runIncMinSeq(options));
  });
});
