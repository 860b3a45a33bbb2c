import type { BenchCase } from "../src/bench-case.ts";
import type { CaseResult } from "../src/results.ts";
import { Stopwatch } from "../src/stopwatch.ts";

/** What a lap takes on the clock of fakeWatch(), in ns. */
export const LAP_NS = 1_000_000;

/** A watch whose every lap takes LAP_NS. */
export function fakeWatch(): Stopwatch {
  let now = 0;
  return new Stopwatch(() => {
    now += LAP_NS;
    return now;
  });
}

/** A case whose repetitions give `rows`, one after the other. */
export function scriptedCase(
  name: string,
  rows: readonly (readonly number[])[],
  warmups = 0,
): BenchCase {
  return {
    name,
    what: `what ${name} measures`,
    metrics: (rows[0] ?? []).map((_, index) => ({ label: `figure ${index}`, unit: "ns" })),
    pages: 64,
    warmups,
    repetitions: rows.length - warmups,
    boot() {
      let next = 0;
      return () => [...(rows[next++] ?? [])];
    },
  };
}

/** A result with one metric, figures by round. */
export function resultOf(
  name: string,
  rounds: readonly (readonly number[])[],
  unit = "ns/folio",
): CaseResult {
  const all = rounds.flat().toSorted((a, b) => a - b);
  const median = all[all.length >> 1] ?? Number.NaN;
  return {
    name,
    what: "",
    metrics: [{ label: "", unit, rounds, min: Math.min(...all), median }],
  };
}
