import { NotModelledError } from "@lrugen/mm-core";
import { compareOracle, type FeatureSet, formatDifference, runScenario } from "@lrugen/sim";
import type { ConformancePair } from "./conformance-set.ts";

/** What became of one scenario. */
export interface Verdict {
  readonly name: string;
  readonly outcome: "identical" | "different" | "not-modelled" | "incomplete";
  /** Why it is not identical, in one line; null: it is. */
  readonly reason: string | null;
}

/** The verdicts counted. */
export interface ConformanceScore {
  readonly passed: number;
  readonly failed: number;
}

/** Runs a scenario and compares it with what the kernel printed. A pair that lacks one is a failure. */
function judge({ name, scenario, fixture }: ConformancePair, features: FeatureSet): Verdict {
  if (scenario === null) {
    return { name, outcome: "incomplete", reason: "there is a fixture, but no scenario" };
  }
  if (fixture === null) {
    return { name, outcome: "incomplete", reason: "there is a scenario, but no fixture" };
  }
  try {
    const difference = compareOracle(fixture, runScenario(scenario, features), name);
    return difference === null
      ? { name, outcome: "identical", reason: null }
      : { name, outcome: "different", reason: formatDifference(difference) };
  } catch (error) {
    if (error instanceof NotModelledError) {
      return { name, outcome: "not-modelled", reason: error.message };
    }
    const reason = error instanceof Error ? error.message : String(error);
    return {
      name,
      outcome: "different",
      reason: `the model failed: ${reason.replaceAll("\n", " ")}`,
    };
  }
}

/** Judges pair after pair; a step that is sent `true` ends it there. */
export function* judgeAll(
  pairs: readonly ConformancePair[],
  features: FeatureSet,
): Generator<Verdict, Verdict[], boolean | undefined> {
  const verdicts: Verdict[] = [];
  for (const pair of pairs) {
    const verdict = judge(pair, features);
    verdicts.push(verdict);
    if ((yield verdict) === true) break;
  }
  return verdicts;
}

/** Everything but `identical` has failed. */
export function scoreOf(verdicts: readonly Verdict[]): ConformanceScore {
  const passed = verdicts.filter(({ outcome }) => outcome === "identical").length;
  return { passed, failed: verdicts.length - passed };
}
