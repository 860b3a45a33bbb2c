import { Argument, Command, CommanderError, Option } from "commander";
import { DEFAULT_PRESET, FeatureError, ScenarioError } from "@lrugen/sim";
import { THP_CHOICES } from "@lrugen/workloads";
import manifest from "../package.json" with { type: "json" };
import { EXIT_BAD_INPUT, EXIT_OK } from "./exit-code.ts";
import { InputError } from "./input-error.ts";
import type { CliIo } from "./terminal/cli-io.ts";
import { conformance, type ConformanceOptions } from "./verbs/conformance.ts";
import { features, type FeaturesOptions } from "./verbs/features.ts";
import { parseSeries, repro, REPRO_SERIES, type ReproOptions } from "./verbs/repro.ts";
import { runScenarioFile, type ScenarioVerbOptions } from "./verbs/scenario.ts";

/**
 * The program `lrugen`.
 * @param argv arguments behind the program's name
 * @returns exit code: see exit-code.ts
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode = EXIT_OK;
  const program = describeProgram(io, (code) => {
    exitCode = code;
  });
  try {
    if (argv.length === 0) throw noVerb(program);
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    const message = complaint(error, program);
    if (message === null) return EXIT_OK;
    io.writeError(`lrugen: ${message.replaceAll(/\s*\n\s*/g, " ")}\n`);
    return EXIT_BAD_INPUT;
  }
}

/** What is wrong with the usage or input; null: nothing, help was asked for. */
function complaint(error: unknown, program: Command): string | null {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    // Help that is an error is what commander answers `help nope` and `--` with.
    if (error.code === "commander.unknownCommand" || error.code === "commander.help") {
      return noVerb(program).message;
    }
    return error.message.replace(/^error: /, "");
  }
  if (
    error instanceof InputError ||
    error instanceof FeatureError ||
    error instanceof ScenarioError
  ) {
    return error.message;
  }
  throw error;
}

/** There is no verb, or no such verb: which there are. */
function noVerb(program: Command): InputError {
  const verbs = program.commands.map((command) => command.name()).join(", ");
  const [first, second] = program.args;
  const given = first === "help" ? second : first;
  return new InputError(
    given === undefined
      ? `found no verb, expected one of ${verbs}, or --help`
      : `unknown command '${given}', expected one of ${verbs}`,
  );
}

function describeProgram(io: CliIo, exitWith: (code: number) => void): Command {
  const program = new Command("lrugen")
    .description("An executable model of Linux page reclaim.")
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.write(text), writeErr: () => {} });
  describeRepro(program, io, exitWith);
  program
    .command("scenario")
    .description("run a scenario and print the state it dumps, as JSON")
    .argument("<file>", "scenario file, - for stdin")
    .addOption(kernelOption())
    .addOption(featuresOption())
    .action(async (file: string, options: ScenarioVerbOptions) => {
      exitWith(await runScenarioFile(file, options, io));
    });
  program
    .command("conformance")
    .description("run DIR/scenarios/*.txt and compare with DIR/fixtures/*.json")
    .argument("[dir]", "default: the scenarios that Linux 7.3.4 ran")
    .option("--json", "print JSON")
    .action(async (directory: string | undefined, options: ConformanceOptions) => {
      exitWith(await conformance(directory, options, io));
    });
  program
    .command("features")
    .description("list every kernel and every switch")
    .option("--json", "print JSON")
    .action((options: FeaturesOptions) => {
      exitWith(features(options, io));
    });
  return program;
}

function describeRepro(program: Command, io: CliIo, exitWith: (code: number) => void): void {
  program
    .command("repro")
    .description("run a series' benchmark before and after it")
    .addArgument(
      new Argument("[series]", "what to reproduce")
        .choices(REPRO_SERIES)
        .argParser(parseSeries)
        .default("all"),
    )
    .option("--each-patch", "also run it after every patch, and print what each changes")
    .addOption(
      new Option("--thp <when>", "transparent huge pages").choices(THP_CHOICES).default("never"),
    )
    .addOption(kernelOption())
    .addOption(featuresOption())
    .option("--pages <size>", "anonymous memory: 512MiB, 1GiB, 640KiB, 131072p", "512MiB")
    .option("--agings <n>", "agings, gen 3 and on", "101")
    .option("--no-drain", "leave the last pages in the folio batch, as the program does")
    .option("--undrained", "the same as --no-drain")
    .option("--json", "print JSON")
    .action(async (_series: string, options: ReproOptions) => {
      exitWith(await repro(options, io));
    });
}

function kernelOption(): Option {
  return new Option("--kernel <kernel>", "what to start from").default(DEFAULT_PRESET);
}

function featuresOption(): Option {
  return new Option("--features <list>", "switches on top of it, comma-separated");
}
