import type { BenchCase } from "./bench-case.ts";
import { type CaseResult, caseResult } from "./results.ts";

/** Measures one case, once. @returns its figures, by metric, by repetition */
export type MeasureCase = (name: string) => Promise<readonly (readonly number[])[]>;

/**
 * Runs the cases one after the other, round after round: what is compared is measured at about the
 * same time, and each round gives the engine another chance to optimize differently.
 * @param progress hears what is about to be measured
 */
export async function runSuite(
  cases: readonly BenchCase[],
  rounds: number,
  measureCase: MeasureCase,
  progress: (message: string) => void,
): Promise<CaseResult[]> {
  const figures = cases.map((): (readonly (readonly number[])[])[] => []);
  for (let round = 1; round <= rounds; round++) {
    for (const [index, { name }] of cases.entries()) {
      progress(`round ${round} of ${rounds}: ${name}`);
      // One at a time: two would slow each other down.
      // oxlint-disable-next-line no-await-in-loop
      figures[index]?.push(await measureCase(name));
    }
  }
  return cases.map((one, index) => caseResult(one, figures[index] ?? []));
}
