import type { FeatureSet } from "@lrugen/sim";
import type { ThpChoice } from "../thp.ts";

/** One run of the benchmark program of series inc-min-seq. */
export interface IncMinSeqOptions {
  /** Switches of the kernel it runs on. */
  readonly features: FeatureSet;
  /** Anonymous memory to touch, in pages. Default 131,072: 512 MiB. */
  readonly pages?: number;
  /** Transparent huge pages. Default `never`. */
  readonly thp?: ThpChoice;
  /** Writes to debugfs, gens 3, 4, … Default 101: gens 3..103. */
  readonly agings?: number;
  /**
   * Drain the folio batches before the first aging. Default true. Without it the last pages touched
   * (pages mod 31) stay in the batch and are on no list.
   */
  readonly drain?: boolean;
}

/** What the program takes. */
export interface IncMinSeqLimits {
  /** Pages: 16 GiB. */
  readonly pagesMax: number;
  readonly agingsMax: number;
}

export const INC_MIN_SEQ_LIMITS: IncMinSeqLimits = { pagesMax: 4_194_304, agingsMax: 10_000 };

/** The options with their defaults. */
export type FullIncMinSeqOptions = Required<IncMinSeqOptions>;

/** @throws RangeError naming the option, what was found and what was expected */
export function fullOptions(options: IncMinSeqOptions): FullIncMinSeqOptions {
  const { features, pages = 131_072, thp = "never", agings = 101, drain = true } = options;
  checkRange("pages", pages, INC_MIN_SEQ_LIMITS.pagesMax);
  checkRange("agings", agings, INC_MIN_SEQ_LIMITS.agingsMax);
  return { features, pages, thp, agings, drain };
}

function checkRange(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw new RangeError(`${name}: ${value} found, expected 1 to ${max}`);
}
