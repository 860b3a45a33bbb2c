import { errnoName, NotModelledError } from "@lrugen/mm-core";
import { checkScenario } from "../scenario/check-scenario.ts";
import type { Command } from "../scenario/command.ts";
import { expandScenario } from "../scenario/expand-scenario.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { FeatureSet } from "../features/feature-set.ts";
import type { OracleLayout, OracleResult, OracleStep } from "../dump/oracle-result.ts";
import { controllerCommand } from "./controller.ts";
import { Guest } from "./guest.ts";
import { lruGenLines, readGuestFile } from "./guest-files.ts";
import { memoryStat } from "./memory-stat.ts";
import { dumpState } from "./state-dump.ts";
import { isWorkerCommand, workerCommand } from "./worker-commands.ts";

/** The banner of the kernel whose behaviour the preset linux-7.3 has (free field 3). */
const KERNEL_BANNER =
  "Linux version 7.3.4+deb13-cloud-amd64 (debian-kernel@lists.debian.org) (x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0, GNU ld (GNU Binutils for Debian) 2.44) #1 SMP PREEMPT_DYNAMIC Debian 7.3.4-1~bpo13+1 (2026-11-15)";

/** How long the harness waits for memory.stat to be flushed. */
const STAT_FLUSH_MS = 2600;

/** struct sizes and flag positions of that configuration (free field 3). */
const LAYOUT: OracleLayout = {
  nr_pageflags: 25,
  gen_shift: 27,
  refs_shift: 25,
  refs_width: 2,
  nr_zones: 5,
  sizeof_page: 64,
  sizeof_lruvec: 1624,
};

/** What may be watched while a scenario runs. */
export interface RunOptions {
  /** Called after every command, with the guest as the command left it and what the oracle prints. */
  readonly afterStep?: (guest: Guest, command: Command, step: OracleStep) => void;
}

/**
 * Runs a scenario on the model, from boot to its last line.
 * @throws ScenarioError for a line that no kernel could run; nothing has run then
 * @throws NotModelledError for a command this version cannot carry out
 */
export function runScenario(
  scenario: Scenario,
  features: FeatureSet,
  options: RunOptions = {},
): OracleResult {
  checkScenario(scenario);
  const guest = new Guest(features, scenario.options);
  const baseline = guest.system.memory.vmstat.values.slice();
  const steps: OracleStep[] = [];
  for (const command of expandScenario(scenario)) {
    const step = runLine(guest, command, baseline, scenario.fileName);
    steps.push(step);
    options.afterStep?.(guest, command, step);
  }
  return { kernel: KERNEL_BANNER, cpus: scenario.options.smp, layout: LAYOUT, steps };
}

/** As runStep; what is not modelled is reported with its file and line. */
function runLine(
  guest: Guest,
  command: Command,
  baseline: Float64Array,
  fileName: string,
): OracleStep {
  try {
    return runStep(guest, command, baseline);
  } catch (error) {
    if (!(error instanceof NotModelledError)) throw error;
    throw new NotModelledError(`${fileName}:${command.line}: ${error.what}`);
  }
}

/**
 * Runs one command; the step is what the oracle prints for it.
 * @param baseline vmstat values that count as zero; raised by what is counted while a worker is made
 */
export function runStep(guest: Guest, command: Command, baseline: Float64Array): OracleStep {
  const { cmd } = command;
  switch (command.op) {
    case "dump":
    case "dumpnode":
      return { cmd, dump: dumpState(guest, command.node, baseline, command.sizes) };
    case "text":
      return { cmd, lru_gen: lruGenLines(guest, false), lru_gen_full: lruGenLines(guest, true) };
    case "stat":
      guest.sleep(STAT_FLUSH_MS);
      return { cmd, "memory.stat": memoryStat(guest.system.memory, guest.memcg) };
    case "cat":
      return { cmd, text: readGuestFile(guest, command.path).split("\n").slice(0, -1) };
    case "proc":
    case "fork":
      return { cmd, ...outcome(executeUncounted(guest, command, baseline)) };
    default:
      return { cmd, ...outcome(execute(guest, command)) };
  }
}

function execute(guest: Guest, command: Command): number {
  return isWorkerCommand(command)
    ? workerCommand(guest, command)
    : controllerCommand(guest, command);
}

/**
 * The harness leaves out of vmstat_delta whatever is counted while it makes a worker, the folios
 * that its drain finds in the batches included.
 */
function executeUncounted(guest: Guest, command: Command, baseline: Float64Array): number {
  const { values } = guest.system.memory.vmstat;
  const before = values.slice();
  const result = execute(guest, command);
  for (let id = 0; id < baseline.length; id++) {
    baseline[id]! += (values[id] as number) - (before[id] as number);
  }
  return result;
}

/** Zero prints nothing, bytes print as `ret`, an errno by its name. */
function outcome(result: number): Pick<OracleStep, "ret" | "err"> {
  if (result < 0) return { err: errnoName(-result) };
  return result > 0 ? { ret: result } : {};
}
