import { MGLRU_FEATURES } from "@lrugen/mglru";
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { systemFeatures } from "../../src/index.ts";
import { runChecked } from "../checked-run.ts";
import { anonScenario } from "./anon-scenarios.ts";
import { fileScenario } from "./file-scenarios.ts";

/** CI tries the same cases every time; a soak tries many more of them. */
const seed = 20_261_130;
const numRuns = inject("soak") ? 2000 : 40;
const commands = inject("soak") ? 200 : 40;

describe("random anonymous memory", () => {
  test("keeps every invariant after every step, stock", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(anonScenario(commands), (text) => {
        expect(runChecked(text)).not.toBe("");
      }),
      { numRuns, seed },
    );
  });

  test("keeps every invariant with the whole series", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(anonScenario(commands), (text) => {
        expect(runChecked(text, { features: "series/inc-min-seq" })).not.toBe("");
      }),
      { numRuns: Math.ceil(numRuns / 2), seed: seed + 1 },
    );
  });

  test("same scenario, same bytes", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(anonScenario(commands), (text) => {
        const dumped = `${text}dump end\ntext end\n`;
        expect(runChecked(dumped)).toBe(runChecked(dumped));
      }),
      { numRuns: Math.ceil(numRuns / 4), seed: seed + 2 },
    );
  });
});

describe("random files, shared and anonymous memory", () => {
  const seeds = Array.from({ length: inject("soak") ? 50 : 3 }, (_, i) => i);
  const operations = inject("soak") ? 10_000 : 200;
  for (const fileSeed of seeds) {
    test(`keeps every invariant after every step, seed ${fileSeed}`, { timeout: 3_600_000 }, () => {
      fc.assert(
        fc.property(fileScenario(operations), (text) => {
          expect(runChecked(text)).not.toBe("");
        }),
        { numRuns: 1, seed: fileSeed, endOnFailure: true },
      );
    });
  }
});

describe("every valid combination of the seven switches of series inc-min-seq", () => {
  const names = MGLRU_FEATURES.filter(({ series }) => series !== null).map(({ name }) => name);
  const splice = names.findIndex((name) => name.endsWith(".spliceRuns"));
  const headToTail = names.findIndex((name) => name.endsWith(".headToTail"));
  const combinations = Array.from({ length: 1 << names.length }, (_, mask) => mask).filter(
    (mask) => (mask & (1 << splice)) === 0 || (mask & (1 << headToTail)) !== 0,
  );
  const scenario = `#! mem=4M
anon A 60
touch A 0 60 w
drain
repeat 8
touch A $i 9 r 3
age 60
end
dump end
`;

  test("there are 96 of them", () => {
    expect(combinations).toHaveLength(96);
  });

  for (const mask of combinations) {
    const on = names.filter((_, i) => mask & (1 << i));
    test(`keeps every invariant: ${on.map((name) => name.split(".").at(-1)).join("+") || "none"}`, () => {
      expect(() => runChecked(scenario, { features: on.join(",") })).not.toThrow();
    });
  }

  test("spliceRuns without headToTail is refused, naming both", () => {
    expect(() => systemFeatures("mglru.incMinSeq.spliceRuns")).toThrow(
      /mglru\.incMinSeq\.spliceRuns requires mglru\.incMinSeq\.headToTail/,
    );
  });
});
