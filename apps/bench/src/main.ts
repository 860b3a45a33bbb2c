import { findCase, HELP, parseArguments, selectCases, UsageError } from "./arguments.ts";
import { judgeBars } from "./bars.ts";
import { formatFigures, measureInOwnProcess } from "./case-process.ts";
import { ALL_CASES } from "./cases/all-cases.ts";
import { currentEnvironment } from "./environment.ts";
import { measure } from "./measure.ts";
import { formatJson, formatList, formatTables } from "./report.ts";
import { Stopwatch } from "./stopwatch.ts";
import { runSuite } from "./suite.ts";

const NS_PER_MS = 1e6;
const COLOR = process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";

/** @returns the exit code: 0, or 1 when a bar was missed and that was asked */
async function run(argv: readonly string[]): Promise<number> {
  const options = parseArguments(argv);
  if (options.help) return print(HELP);
  if (options.inProcess !== null) {
    const watch = new Stopwatch(() => performance.now() * NS_PER_MS);
    return print(`${formatFigures(measure(findCase(ALL_CASES, options.inProcess), watch))}\n`);
  }
  const cases = selectCases(ALL_CASES, options.names);
  if (options.list) return print(formatList(cases, COLOR));
  const environment = currentEnvironment();
  const results = await runSuite(
    cases,
    options.rounds,
    (name) => measureInOwnProcess(import.meta.filename, name),
    (message) => process.stderr.write(`${message}\n`),
  );
  const bars = judgeBars(results);
  const report = { environment, cases: results, bars };
  print(options.json ? formatJson(report) : formatTables(report, COLOR));
  return options.check && bars.some(({ met }) => !met) ? 1 : 0;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
