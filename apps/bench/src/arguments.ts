import { parseArgs } from "node:util";

import type { BenchCase } from "./bench-case.ts";

/** Rounds of a run; each begins every process anew. */
const DEFAULT_ROUNDS = 3;
const MAX_ROUNDS = 100;

/** What the command line asks for. */
export interface BenchOptions {
  /** Cases to run, by name or by the beginning of one; none = all. */
  readonly names: readonly string[];
  readonly rounds: number;
  /** Print a document instead of tables. */
  readonly json: boolean;
  /** Exit 1 when a bar is missed. */
  readonly check: boolean;
  readonly list: boolean;
  readonly help: boolean;
  /** Measure one case in this process and print its figures; null = run the suite. */
  readonly inProcess: string | null;
}

/** A command line that cannot be followed; the message is one line. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** What `--help` prints. */
export const HELP: string = `Usage: npm run -s bench -- [options] [CASE...]

Measures the speed and the memory of the model. CASE is a name, or how some names begin.

  --list             names every case and says what it measures
  --rounds N         rounds, each with new processes (default ${DEFAULT_ROUNDS})
  --json             prints a document instead of tables
  --check            exits with 1 when a bar is missed
  --in-process CASE  measures one case in this very process, for profiling
  --help             prints this
`;

/**
 * Reads the command line.
 * @throws UsageError naming what was found
 */
export function parseArguments(argv: readonly string[]): BenchOptions {
  const { values, positionals } = parsed(argv);
  return {
    names: positionals,
    rounds: values.rounds === undefined ? DEFAULT_ROUNDS : parseRounds(values.rounds),
    json: values.json,
    check: values.check,
    list: values.list,
    help: values.help,
    inProcess: values["in-process"] ?? null,
  };
}

/**
 * The cases whose names begin with one of `names`, in the order of the suite; all without names.
 * @throws UsageError when a name fits no case
 */
export function selectCases(
  cases: readonly BenchCase[],
  names: readonly string[],
): readonly BenchCase[] {
  for (const name of names) {
    if (!cases.some((one) => one.name.startsWith(name))) {
      throw new UsageError(`found case "${name}", expected a name of --list or how one begins`);
    }
  }
  if (names.length === 0) return cases;
  return cases.filter((one) => names.some((name) => one.name.startsWith(name)));
}

/**
 * The case of this very name.
 * @throws UsageError when there is none
 */
export function findCase(cases: readonly BenchCase[], name: string): BenchCase {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new UsageError(`found case "${name}", expected a name of --list`);
  return found;
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        rounds: { type: "string" },
        json: { type: "boolean", default: false },
        check: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        "in-process": { type: "string" },
      },
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split(/\.? *\n|\. /)[0] ?? message, { cause: error });
  }
}

function parseRounds(text: string): number {
  const rounds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (rounds < 1 || rounds > MAX_ROUNDS) {
    throw new UsageError(`--rounds: found "${text}", expected 1 to ${MAX_ROUNDS}`);
  }
  return rounds;
}
