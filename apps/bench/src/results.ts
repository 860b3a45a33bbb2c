import type { BenchCase } from "./bench-case.ts";
import { median } from "./statistics.ts";

/** What was measured of one metric of a case. */
export interface MetricResult {
  readonly label: string;
  readonly unit: string;
  /** The figures, one a repetition, round by round. */
  readonly rounds: readonly (readonly number[])[];
  /** Smallest figure of all. */
  readonly min: number;
  /** Median of all figures. */
  readonly median: number;
}

/** What was measured of a case. */
export interface CaseResult {
  readonly name: string;
  readonly what: string;
  /** As many as the case has, in its order. */
  readonly metrics: readonly MetricResult[];
}

/**
 * Summarizes what the processes of a case gave.
 * @param rounds by round, by metric, by repetition
 */
export function caseResult(
  { name, what, metrics }: BenchCase,
  rounds: readonly (readonly (readonly number[])[])[],
): CaseResult {
  return {
    name,
    what,
    metrics: metrics.map(({ label, unit }, metric) => {
      const figures = rounds.map((round) => round[metric] ?? []);
      const all = figures.flat();
      return { label, unit, rounds: figures, min: Math.min(...all), median: median(all) };
    }),
  };
}
