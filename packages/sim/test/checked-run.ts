import {
  checkScenario,
  EndlessFaultError,
  expandScenario,
  Guest,
  InvariantChecker,
  type OracleStep,
  parseScenario,
  runStep,
  systemFeatures,
} from "../src/index.ts";

/** What may happen between the commands of a checked run. */
export interface CheckedRunOptions {
  /** Feature list, default the preset's. */
  readonly features?: string;
  /** Called after every command, when the invariants hold. */
  readonly afterStep?: (guest: Guest) => void;
}

/**
 * Runs a scenario and asks for every invariant, page counters among them, after every command. A fault that
 * the kernel would repeat for ever, since memory.high takes its page back each time, ends the command; the
 * next one goes on.
 * @returns its steps as JSON
 * @throws Error naming the command and the first violations
 */
export function runChecked(text: string, options: CheckedRunOptions = {}): string {
  const scenario = parseScenario(text, "random.txt");
  checkScenario(scenario);
  const guest = new Guest(systemFeatures(options.features ?? ""), scenario.options);
  const checker = new InvariantChecker(guest.system);
  const baseline = guest.system.memory.vmstat.values.slice();
  const steps: OracleStep[] = [];
  for (const command of expandScenario(scenario)) {
    try {
      steps.push(runStep(guest, command, baseline));
    } catch (error) {
      if (!(error instanceof EndlessFaultError)) {
        throw new Error(`random.txt:${command.line}: ${command.cmd}`, { cause: error });
      }
      steps.push({ cmd: command.cmd, err: "endless" });
    }
    const violations = checker.check(guest.workers.map(({ mm }) => mm));
    if (violations.length > 0) {
      throw new Error(`after "${command.cmd}": ${violations.slice(0, 5).join("; ")}`);
    }
    options.afterStep?.(guest);
  }
  return JSON.stringify(steps);
}
