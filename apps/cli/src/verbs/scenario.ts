import { NotModelledError } from "@lrugen/mm-core";
import {
  expandScenario,
  parseScenario,
  runScenario,
  type Scenario,
  stringifyOracle,
  systemFeatures,
} from "@lrugen/sim";
import { readText, resolvePath } from "../arguments/files.ts";
import { EXIT_OK } from "../exit-code.ts";
import { InputError } from "../input-error.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** What `lrugen scenario` was given. */
export interface ScenarioVerbOptions {
  readonly kernel: string;
  readonly features: string;
}

/** Runs one scenario and prints its dumps. @param file a path, or `-` for stdin. @returns exit code */
export async function runScenarioFile(
  file: string,
  options: ScenarioVerbOptions,
  io: CliIo,
): Promise<number> {
  const features = systemFeatures(options.features, options.kernel);
  const shown = file === "-" ? "stdin" : file;
  const text = file === "-" ? await io.readInput() : readText(resolvePath(io, file), shown);
  const parsed = parseScenario(text, shown);
  let stepsDone = 0;
  const afterStep = (): void => {
    stepsDone += 1;
  };
  try {
    io.write(stringifyOracle(runScenario(parsed, features, { afterStep })));
  } catch (error) {
    if (!(error instanceof NotModelledError)) throw error;
    throw new InputError(`${shown}:${lineOfStep(parsed, stepsDone)}: ${error.message}`);
  }
  return EXIT_OK;
}

/** Where in the file the step with this index comes from. */
function lineOfStep(scenario: Scenario, index: number): number {
  let left = index;
  for (const { line } of expandScenario(scenario)) if (left-- === 0) return line;
  throw new RangeError(`the scenario has no step ${index}`);
}
