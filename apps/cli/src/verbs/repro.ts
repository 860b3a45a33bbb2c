import { systemFeatures } from "@lrugen/sim";
import {
  INC_MIN_SEQ_LIMITS,
  type IncMinSeqRepro,
  reproIncMinSeq,
  type ThpChoice,
} from "@lrugen/workloads";
import { parseCount } from "../arguments/count.ts";
import { parsePages } from "../arguments/pages.ts";
import { ownConformanceDirectory, readConformanceSet } from "../conformance/conformance-set.ts";
import { judgeAll, type Verdict } from "../conformance/verdict.ts";
import { EXIT_INTERRUPTED, EXIT_OK } from "../exit-code.ts";
import { InputError } from "../input-error.ts";
import { incMinSeqJson } from "../repro/inc-min-seq-json.ts";
import { incMinSeqText } from "../repro/inc-min-seq-text.ts";
import { type CliIo, wantsColor } from "../terminal/cli-io.ts";
import { runSteps, type StepsOutcome } from "../terminal/run-steps.ts";

/** Series that this version reproduces; `all` is each of them. */
export const REPRO_SERIES: readonly string[] = ["inc-min-seq", "all"];

/** Reads the name of a series; commander's own complaint is about its arguments, not about series. */
export function parseSeries(text: string): string {
  if (REPRO_SERIES.includes(text)) return text;
  throw new InputError(`unknown series '${text}', expected one of ${REPRO_SERIES.join(", ")}`);
}

/** What `lrugen repro` was given. */
export interface ReproOptions {
  readonly eachPatch?: boolean;
  readonly thp: ThpChoice;
  readonly kernel: string;
  readonly features?: string;
  readonly pages: string;
  readonly agings: string;
  /** False: --no-drain. */
  readonly drain: boolean;
  readonly undrained?: boolean;
  readonly json?: boolean;
}

/** Runs the benchmark of series inc-min-seq before and after, and prints both. @returns exit code */
export async function repro(options: ReproOptions, io: CliIo): Promise<number> {
  const { kernel, features = "" } = options;
  const { result, interrupted } = await runBenchmark(options, io);
  const conformance = interrupted ? null : await runConformance(kernel, io);
  const report = { kernel, features, repro: result, conformance: conformance?.result ?? null };
  io.write(options.json === true ? incMinSeqJson(report) : incMinSeqText(report, wantsColor(io)));
  return interrupted || conformance?.interrupted === true ? EXIT_INTERRUPTED : EXIT_OK;
}

function runBenchmark(options: ReproOptions, io: CliIo): Promise<StepsOutcome<IncMinSeqRepro>> {
  const steps = reproIncMinSeq({
    features: systemFeatures(options.features, options.kernel),
    pages: parsePages("--pages", options.pages),
    thp: options.thp,
    agings: parseCount("--agings", options.agings, INC_MIN_SEQ_LIMITS.agingsMax),
    drain: options.drain && options.undrained !== true,
    eachPatch: options.eachPatch === true,
  });
  return runSteps(steps, io, ({ run, done, total }) => `inc-min-seq ${run}: ${done} of ${total}`);
}

/** The project's own scenarios on the preset alone: the score says how far to trust the rest. */
function runConformance(kernel: string, io: CliIo): Promise<StepsOutcome<Verdict[]>> {
  const pairs = readConformanceSet(ownConformanceDirectory(), "conformance");
  return runSteps(judgeAll(pairs, systemFeatures("", kernel)), io, ({ name }) => name);
}
