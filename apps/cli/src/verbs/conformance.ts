import { systemFeatures } from "@lrugen/sim";
import { resolvePath } from "../arguments/files.ts";
import { ownConformanceDirectory, readConformanceSet } from "../conformance/conformance-set.ts";
import { judgeAll, scoreOf, type Verdict } from "../conformance/verdict.ts";
import { EXIT_INTERRUPTED, EXIT_NO, EXIT_OK } from "../exit-code.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { runSteps } from "../terminal/run-steps.ts";

/** What `lrugen conformance` was given. */
export interface ConformanceOptions {
  readonly json?: boolean;
}

/** Runs a conformance set and says of each scenario whether it is identical. @returns exit code */
export async function conformance(
  directory: string | undefined,
  options: ConformanceOptions,
  io: CliIo,
): Promise<number> {
  const pairs =
    directory === undefined
      ? readConformanceSet(ownConformanceDirectory(), "conformance")
      : readConformanceSet(resolvePath(io, directory, "directory"), directory);
  const { result: verdicts, interrupted } = await runSteps(
    judgeAll(pairs, systemFeatures()),
    io,
    ({ name }) => `conformance: ${name}`,
  );
  const score = scoreOf(verdicts);
  if (options.json === true) {
    const document = { schema: "lrugen.conformance/1", ...score, scenarios: verdicts };
    io.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    io.write(verdicts.map(verdictLine).join(""));
    io.write(`${score.passed} passed, ${score.failed} failed\n`);
  }
  if (interrupted) {
    // The score alone looks like that of a whole set.
    io.writeError(`interrupted after ${verdicts.length} of ${pairs.length} scenarios\n`);
    return EXIT_INTERRUPTED;
  }
  return score.failed === 0 ? EXIT_OK : EXIT_NO;
}

function verdictLine({ name, reason }: Verdict): string {
  return reason === null ? `identical ${name}\n` : `failed ${name}: ${reason}\n`;
}
