import * as fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { folioFlagLetters, folioFlagsOf } from "../../../src/dump/folio-flags.ts";
import { FolioRunEncoder, folioRunsToFolios } from "../../../src/dump/folio-runs.ts";
import { fixtureNamed, VECTORS } from "../conformance/vectors.ts";
import type { FolioRun, OracleResult } from "../../../src/dump/oracle-result.ts";

const numRuns = inject("soak") ? 20000 : 200;
const UL = folioFlagsOf("UL");

/** Runs of order-`order` folios of A at `indices`, otherwise alike. */
function runsAt(order: number, ...indices: number[]): FolioRun[] {
  const encoder = new FolioRunEncoder();
  for (const index of indices) encoder.add("A", index, order, 2, 0, UL);
  return encoder.finish();
}

describe("folio runs", () => {
  it("join indices that rise or fall by the folio's size", () => {
    expect(runsAt(0, 0, 1, 2)).toEqual([["A", 0, 2, 0, 2, 0, "UL"]]);
    expect(runsAt(0, 30, 29, 28)).toEqual([["A", 30, 28, 0, 2, 0, "UL"]]);
    expect(runsAt(3, 24, 16)).toEqual([["A", 24, 16, 3, 2, 0, "UL"]]);
  });

  it("end where the direction turns, the second folio having set it", () => {
    expect(runsAt(0, 4, 5, 4)).toEqual([
      ["A", 4, 5, 0, 2, 0, "UL"],
      ["A", 4, 4, 0, 2, 0, "UL"],
    ]);
  });

  it("end where the step is not the folio's size", () => {
    expect(runsAt(0, 1, 3)).toHaveLength(2);
    expect(runsAt(2, 0, 1)).toHaveLength(2);
    expect(runsAt(0, 7, 7)).toHaveLength(2);
  });

  it.each([
    ["name", "B", 1, 0, 2, 0, UL],
    ["order", "A", 1, 1, 2, 0, UL],
    ["generation", "A", 1, 0, -1, 0, UL],
    ["refs", "A", 1, 0, 2, 3, UL],
    ["flags", "A", 1, 0, 2, 0, UL | folioFlagsOf("W")],
  ] as const)("end where the %s changes", (_, name, index, order, gen, refs, flags) => {
    const encoder = new FolioRunEncoder();
    encoder.add("A", 0, 0, 2, 0, UL);
    encoder.add(name, index, order, gen, refs, flags);
    expect(encoder.finish()).toEqual([
      ["A", 0, 0, 0, 2, 0, "UL"],
      [name, index, index, order, gen, refs, folioFlagLetters(flags)],
    ]);
  });

  it("do not end where a flag without a letter changes", () => {
    const encoder = new FolioRunEncoder();
    encoder.add("A", 0, 9, 2, 0, UL | (1 << 6));
    encoder.add("A", 512, 9, 2, 0, UL | (1 << 22));
    expect(encoder.finish()).toEqual([["A", 0, 512, 9, 2, 0, "UL"]]);
  });

  it("do not reach over finish", () => {
    const encoder = new FolioRunEncoder();
    encoder.add("A", 0, 0, 2, 0, UL);
    encoder.finish();
    encoder.add("A", 1, 0, 2, 0, UL);
    expect(encoder.finish()).toEqual([["A", 1, 1, 0, 2, 0, "UL"]]);
    expect(encoder.finish()).toEqual([]);
  });

  it("survive coding and decoding", () => {
    const folio = fc.record({
      name: fc.constantFrom("A", "B"),
      index: fc.integer({ min: 0, max: 6 }),
      order: fc.constantFrom(0, 0, 0, 2),
      gen: fc.constantFrom(-1, 2, 3),
      refs: fc.constantFrom(0, 0, 1),
      flags: fc.constantFrom("UL", "RULB"),
    });
    fc.assert(
      fc.property(fc.array(folio, { maxLength: 30, size: "max" }), (folios) => {
        const encoder = new FolioRunEncoder();
        for (const { name, index, order, gen, refs, flags } of folios) {
          encoder.add(name, index, order, gen, refs, folioFlagsOf(flags));
        }
        expect([...folioRunsToFolios(encoder.finish())]).toEqual(folios);
      }),
      { numRuns },
    );
  });

  it("of every list in the fixtures come out as the kernel printed them", () => {
    const encoder = new FolioRunEncoder();
    let lists = 0;
    for (const { fixture } of VECTORS) {
      for (const { dump } of (JSON.parse(fixture) as OracleResult).steps) {
        for (const { folios, pages } of dump?.lists ?? []) {
          let sum = 0;
          for (const folio of folioRunsToFolios(folios)) {
            const { name, index, order, gen, refs, flags } = folio;
            encoder.add(name, index, order, gen, refs, folioFlagsOf(flags));
            sum += 2 ** order;
          }
          expect(encoder.finish()).toEqual(folios);
          expect(sum).toBe(pages);
          lists++;
        }
      }
    }
    expect(lists).toBeGreaterThan(300);
  });

  it("name the large folios of a falling run, as in fixture 08", () => {
    const dump = fixtureNamed("08-file-read-sequential").steps.find(
      ({ cmd }) => cmd === "dump sixty-four",
    )?.dump;
    const folios = [...folioRunsToFolios(dump?.lists.flatMap((list) => list.folios) ?? [])];
    expect(folios.filter(({ order }) => order === 3).map(({ index }) => index)).toEqual([24, 16]);
  });
});
