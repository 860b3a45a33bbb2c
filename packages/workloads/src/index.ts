export {
  EXAMPLE_SCENARIO,
  type ExampleFolio,
  type ExampleList,
  exampleListText,
  type ExampleState,
  type IncMinSeqExample,
  runIncMinSeqExample,
} from "./inc-min-seq/example.ts";
export { type AgingDelta, type IncMinSeqAging } from "./inc-min-seq/aging-record.ts";
export { type AgingSpan, agingSpans } from "./inc-min-seq/aging-spans.ts";
export { type PatchChange, type PatchEffect, patchEffect } from "./inc-min-seq/each-patch.ts";
export type { ListOrder } from "./inc-min-seq/list-order.ts";
export {
  INC_MIN_SEQ_LIMITS,
  type IncMinSeqLimits,
  type IncMinSeqOptions,
} from "./inc-min-seq/options.ts";
export { IncMinSeqProgram } from "./inc-min-seq/program.ts";
export { type ProposedRule, proposedRules } from "./inc-min-seq/proposed.ts";
export {
  PUBLISHED_INC_MIN_SEQ,
  type PublishedAging,
  type PublishedIncMinSeq,
  type PublishedPair,
} from "./inc-min-seq/published.ts";
export {
  type IncMinSeqRepro,
  type IncMinSeqReproOptions,
  type IncMinSeqRunProgress,
  reproIncMinSeq,
} from "./inc-min-seq/repro.ts";
export {
  INC_MIN_SEQ_FIRST_GEN,
  type IncMinSeqRun,
  incMinSeqAgings,
  runIncMinSeq,
} from "./inc-min-seq/run.ts";
export { THP_CHOICES, type ThpChoice } from "./thp.ts";
