import type { IncMinSeqRepro } from "@lrugen/workloads";
import type { Verdict } from "../conformance/verdict.ts";

/** Everything that `lrugen repro inc-min-seq` prints. */
export interface IncMinSeqReport {
  /** Preset. */
  readonly kernel: string;
  /** What --features added to it; empty: nothing. */
  readonly features: string;
  readonly repro: IncMinSeqRepro;
  /** The project's own conformance set; null: not run, because the user stopped before. */
  readonly conformance: readonly Verdict[] | null;
}
