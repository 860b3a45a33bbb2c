import { inject } from "vitest";

/** How many cases a property is tried on; always the same ones, and many more to soak. */
export const RUNS: { readonly numRuns: number; readonly seed: number } = {
  numRuns: inject("soak") ? 5000 : 60,
  seed: 20_261_130,
};
