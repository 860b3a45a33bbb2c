import type { OracleStep } from "../dump/oracle-result.ts";
import { parseNumber } from "../scenario/number.ts";

/** What the steps so far, the current one included, say about which fields are free. */
export interface StepContext {
  /** Name of the scenario without folder and extension: `25-pressure-hot-anon`. */
  readonly scenario: string;
  /** The line of the step. */
  readonly cmd: string;
  /** A worker has exited or the OOM killer has killed one. */
  readonly workerGone: boolean;
  /** Workers that have run a `kvmtouch`. */
  readonly kvmWorkers: ReadonlySet<string>;
  /** A dump has shown workingset_nodereclaim. */
  readonly nodesReclaimed: boolean;
  /** `file` lines run while MGLRU was off. */
  readonly filesWhileOff: number;
}

const ENABLED_PATH = "/sys/kernel/mm/lru_gen/enabled";

/** Whether a value that lru_gen/enabled took has bit 0, the one that turns MGLRU on. */
function turnsOn(value: string): boolean {
  const letter = value[0]?.toLowerCase();
  if (letter === "y" || letter === "n") return letter === "y";
  return (parseNumber(value) ?? 0) % 2 === 1;
}

/** The words of a line, its worker apart. */
function splitLine(cmd: string): { worker: string; words: readonly string[] } {
  const words = cmd.split(/[ \t]+/).filter((word) => word !== "");
  const prefixed = words[0]?.startsWith("@") === true;
  return prefixed
    ? { worker: (words[0] as string).slice(1), words: words.slice(1) }
    : { worker: "w0", words };
}

/** Follows the steps the kernel printed; what they allow is taken from the kernel's side only. */
export class StepTracker {
  readonly #scenario: string;
  readonly #kvmWorkers: Set<string> = new Set();
  #workerGone = false;
  #nodesReclaimed = false;
  #filesWhileOff = 0;
  #on = true;

  constructor(scenario: string) {
    this.#scenario = scenario;
  }

  /** Takes in the next step of the kernel's result. */
  next(step: OracleStep): StepContext {
    const { worker, words } = splitLine(step.cmd);
    if (step.err === undefined) this.#takeSwitch(words);
    if (words[0] === "kvmtouch") this.#kvmWorkers.add(worker);
    // ESRCH is what a line gets whose worker did not survive it.
    if (words[0] === "exit" || step.err === "ESRCH") this.#workerGone = true;
    if (words[0] === "file" && !this.#on) this.#filesWhileOff++;
    const { dump } = step;
    if (dump !== undefined) {
      this.#on = dump.enabled !== 0;
      if ((dump["memory.events"]["oom_kill"] ?? 0) > 0) this.#workerGone = true;
      if ((dump.vmstat_delta["workingset_nodereclaim"] ?? 0) !== 0) this.#nodesReclaimed = true;
    }
    return {
      scenario: this.#scenario,
      cmd: step.cmd,
      workerGone: this.#workerGone,
      kvmWorkers: new Set(this.#kvmWorkers),
      nodesReclaimed: this.#nodesReclaimed,
      filesWhileOff: this.#filesWhileOff,
    };
  }

  #takeSwitch(words: readonly string[]): void {
    const [op, first, second] = words;
    if (op === "enabled" && first !== undefined) this.#on = turnsOn(first);
    if (op === "write" && first === ENABLED_PATH && second !== undefined) {
      this.#on = turnsOn(second);
    }
  }
}
