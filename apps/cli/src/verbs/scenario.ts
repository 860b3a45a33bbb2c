import { NotModelledError } from "@lrugen/mm-core";
import {
  type FeatureSet,
  type OracleResult,
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
  readonly features?: string;
}

/** Runs one scenario and prints its dumps. @param file a path, or `-` for stdin. @returns exit code */
export async function runScenarioFile(
  file: string,
  options: ScenarioVerbOptions,
  io: CliIo,
): Promise<number> {
  const features = systemFeatures(options.features, options.kernel);
  const shown = file === "-" ? "stdin" : file;
  const text = file === "-" ? await io.readInput() : readText(resolvePath(io, file, "file"), shown);
  const parsed = parseScenario(text, shown);
  io.write(stringifyOracle(runFrom(parsed, features)));
  return EXIT_OK;
}

/** What cannot be run is bad input, whatever the reason. */
function runFrom(parsed: Scenario, features: FeatureSet): OracleResult {
  let started = false;
  const afterStep = (): void => {
    started = true;
  };
  try {
    return runScenario(parsed, features, { afterStep });
  } catch (error) {
    if (error instanceof NotModelledError) throw new InputError(error.message);
    // A machine that cannot be built: `#! mem=1M`.
    if (error instanceof RangeError && !started) {
      throw new InputError(`${parsed.fileName}: ${error.message}`);
    }
    throw error;
  }
}
