import { type IncMinSeqRun, proposedRules, PUBLISHED_INC_MIN_SEQ } from "@lrugen/workloads";
import { scoreOf } from "../conformance/verdict.ts";
import type { IncMinSeqReport } from "./inc-min-seq-report.ts";

/** The report as a JSON document. Fields are added, never changed, within one schema number. */
export function incMinSeqJson({ kernel, features, repro, conformance }: IncMinSeqReport): string {
  const { before, after, examples, patches, complete } = repro;
  const { pages, thp, agings, drain } = before.options;
  const document = {
    schema: "lrugen.repro.inc-min-seq/1",
    series: "inc-min-seq",
    kernel,
    features,
    /** Nothing is random. */
    seed: null,
    benchmark: { pages, thp, agings, drained: drain },
    complete,
    proposed: proposedRules((after ?? before).options.features),
    estimates: [],
    runs: [before, after].filter((run) => run !== null).map((run) => runJson(kernel, run)),
    examples,
    patches,
    conformance: conformance === null ? null : scoreOf(conformance),
    published: PUBLISHED_INC_MIN_SEQ,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function runJson(kernel: string, { options, agings, orderKept, complete }: IncMinSeqRun): object {
  return { kernel, features: options.features.toString(), orderKept, complete, agings };
}
