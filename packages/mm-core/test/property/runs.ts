import { inject } from "vitest";

/** How many cases a property is tried on; always the same ones, and thirty times as many to soak. */
export const RUNS: { readonly numRuns: number; readonly seed: number } = {
  numRuns: inject("soak") ? 3_000 : 100,
  seed: 20_260_311,
};
