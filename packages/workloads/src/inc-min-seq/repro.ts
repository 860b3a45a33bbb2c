import { type FeatureSet, parseFeatures, SYSTEM_FEATURES } from "@lrugen/sim";
import { type PatchEffect, patchEffect, type PatchOutcome } from "./each-patch.ts";
import { type IncMinSeqExample, runIncMinSeqExample } from "./example.ts";
import type { IncMinSeqOptions } from "./options.ts";
import { incMinSeqAgings, type IncMinSeqRun } from "./run.ts";

const SERIES = "inc-min-seq";

/** The benchmark without and with the series. */
export interface IncMinSeqReproOptions extends IncMinSeqOptions {
  /** Also run it after every patch. Default false. */
  readonly eachPatch?: boolean;
}

/** Where a repro is. */
export interface IncMinSeqRunProgress {
  /** The run in words: `before`, `after`, `patches 1-3`. */
  readonly run: string;
  /** Agings of that run, done and in all. */
  readonly done: number;
  readonly total: number;
}

/** What a repro found. */
export interface IncMinSeqRepro {
  readonly before: IncMinSeqRun;
  /** Null: stopped before it began. */
  readonly after: IncMinSeqRun | null;
  readonly examples: { readonly before: IncMinSeqExample; readonly after: IncMinSeqExample };
  /** By patch; null: not asked for. */
  readonly patches: readonly PatchEffect[] | null;
  /** False: stopped on the way. */
  readonly complete: boolean;
}

type Steps<T> = Generator<IncMinSeqRunProgress, T, boolean | undefined>;

/**
 * Runs the benchmark and the example on `features` and on `features` with the series, and between
 * them, if asked, on `features` with the first patch, the first two, and so on. One aging a step; a
 * step that is sent `true` ends it all with what there is.
 * @throws RangeError for a bad option
 */
export function* reproIncMinSeq(options: IncMinSeqReproOptions): Steps<IncMinSeqRepro> {
  const { features } = options;
  const patches = SYSTEM_FEATURES.series(SERIES);
  const last = patches.length;
  const examples = {
    before: runIncMinSeqExample(features),
    after: runIncMinSeqExample(withPatches(features, last)),
  };
  const before = yield* progressing("before", options);
  if (!before.complete) {
    return { before, after: null, examples, patches: null, complete: false };
  }
  const after = yield* progressing("after", {
    ...options,
    features: withPatches(features, last),
  });
  if (!after.complete || options.eachPatch !== true) {
    return { before, after, examples, patches: null, complete: after.complete };
  }
  const first = { run: before, example: examples.before };
  const final = { run: after, example: examples.after };
  const effects = yield* eachPatch(options, first, final);
  return { before, after, examples, patches: effects, complete: effects.length === last };
}

/** Features with the first `count` patches of the series on top. */
function withPatches(features: FeatureSet, count: number): FeatureSet {
  return parseFeatures(`series/${SERIES}:1-${count}`, SYSTEM_FEATURES, features);
}

function* progressing(run: string, options: IncMinSeqOptions): Steps<IncMinSeqRun> {
  const agings = incMinSeqAgings(options);
  let done = 0;
  let step = agings.next();
  while (step.done !== true) {
    done += 1;
    step = agings.next(yield { run, done, total: options.agings ?? 101 });
  }
  return step.value;
}

/** @returns the effects up to the patch where it was stopped */
function* eachPatch(
  options: IncMinSeqOptions,
  first: PatchOutcome,
  final: PatchOutcome,
): Steps<PatchEffect[]> {
  const patches = SYSTEM_FEATURES.series(SERIES);
  const effects: PatchEffect[] = [];
  let previous = first;
  for (const patch of patches) {
    let current = final;
    if (patch.patch < patches.length) {
      const features = withPatches(options.features, patch.patch);
      const run = yield* progressing(`patches 1-${patch.patch}`, { ...options, features });
      if (!run.complete) return effects;
      current = { run, example: runIncMinSeqExample(features) };
    }
    effects.push(patchEffect(patch, previous, current));
    previous = current;
  }
  return effects;
}
