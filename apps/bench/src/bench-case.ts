import type { Stopwatch } from "./stopwatch.ts";

/** One figure that a case reports. */
export interface Metric {
  /** What tells it from the other figures of its case; empty when it is the only one. */
  readonly label: string;
  /** Unit of the figure, such as `ns/folio`. */
  readonly unit: string;
}

/** Does the case's work once. @returns a figure for each metric, in their order */
export type Repetition = () => number[];

/** Something to measure, in a process of its own. */
export interface BenchCase {
  /** Stable, with slashes: `aging/steady/stock`. */
  readonly name: string;
  /** What is measured, in one line. */
  readonly what: string;
  readonly metrics: readonly Metric[];
  /** Pages each instance works on; tests boot smaller ones. */
  readonly pages: number;
  /** Repetitions before the first one that counts. */
  readonly warmups: number;
  /** Repetitions that count. */
  readonly repetitions: number;
  /**
   * Builds the instances, two of them live at a time.
   * @param watch times what counts; everything else of a repetition is free
   */
  boot(pages: number, watch: Stopwatch): Repetition;
}

/** The size most cases work on: 512 MiB, in pages. */
export const USUAL_PAGES: number = 131_072;

/** Repetitions of a case whose figures are times. */
export const TIMED: { readonly warmups: number; readonly repetitions: number } = {
  warmups: 4,
  repetitions: 5,
};

/**
 * A repetition over several instances, one after the other.
 * @param work does its share in laps of the watch, which gives the figure
 */
export function inLaps<T>(
  watch: Stopwatch,
  instances: readonly T[],
  work: (instance: T) => void,
): Repetition {
  return () => {
    for (const instance of instances) work(instance);
    return [watch.take()];
  };
}
