import type { BenchCase } from "./bench-case.ts";
import type { Stopwatch } from "./stopwatch.ts";

/**
 * Runs a case in this process.
 * @returns the figures of each metric, one a repetition
 */
export function measure(benchCase: BenchCase, watch: Stopwatch): number[][] {
  const repetition = benchCase.boot(benchCase.pages, watch);
  for (let i = 0; i < benchCase.warmups; i++) repetition();
  const figures = Array.from({ length: benchCase.repetitions }, () => repetition());
  return benchCase.metrics.map((_, metric) => figures.map((row) => row[metric] ?? Number.NaN));
}
