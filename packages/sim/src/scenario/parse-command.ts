import { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import {
  CONTROLLER_USAGE,
  parseControllerCommand,
  type ControllerOp,
} from "./controller-commands.ts";
import { SCENARIO_LIMITS } from "./limits.ts";
import { quoteWord, ScenarioError } from "./scenario-error.ts";
import { parseWorkerCommand, WORKER_USAGE, type WorkerOp } from "./worker-commands.ts";

const DEFAULT_WORKER = "w0";

/** These take the rest of the line as it is, so words left over are part of it. */
const TAKES_REST: ReadonlySet<string> = new Set(["raw", "rawfrom", "reclaim"]);

function isWorkerOp(word: string): word is WorkerOp {
  return Object.hasOwn(WORKER_USAGE, word);
}

function isControllerOp(word: string): word is ControllerOp {
  return Object.hasOwn(CONTROLLER_USAGE, word);
}

/**
 * Reads one concrete command.
 *
 * @param cmd the line without leading blanks and line end, `$i` replaced
 * @throws ScenarioError for an unknown command, a missing, bad or surplus argument
 */
export function parseCommand(cmd: string, line: number, fileName: string): Command {
  const { lineLengthMax } = SCENARIO_LIMITS;
  if (cmd.length > lineLengthMax) {
    const found = `a line of ${cmd.length} characters`;
    throw new ScenarioError(fileName, line, found, `at most ${lineLengthMax}`);
  }
  const words = cmd.split(/[ \t]+/).filter((word) => word !== "");
  const prefixed = words[0]?.startsWith("@") === true;
  const worker = prefixed ? (words.shift() as string).slice(1) : DEFAULT_WORKER;
  const op = words.shift();
  if (op === undefined) {
    throw new ScenarioError(fileName, line, `only ${quoteWord(cmd.trim())}`, "@NAME COMMAND");
  }
  if (isWorkerOp(op)) {
    const args = new CommandArguments(fileName, line, words, WORKER_USAGE[op]);
    const command = parseWorkerCommand(op, args, { cmd, line, worker });
    args.end();
    return command;
  }
  if (!isControllerOp(op)) {
    const known = [...Object.keys(WORKER_USAGE), ...Object.keys(CONTROLLER_USAGE), "repeat", "end"];
    const expected = `a command (${known.join(", ")})`;
    throw new ScenarioError(fileName, line, `command ${quoteWord(op)}`, expected);
  }
  if (prefixed) {
    const expected = "a worker command after @NAME";
    throw new ScenarioError(fileName, line, `controller command "${op}"`, expected);
  }
  const args = new CommandArguments(fileName, line, words, CONTROLLER_USAGE[op]);
  const command = parseControllerCommand(op, args, { cmd, line });
  if (!TAKES_REST.has(op)) args.end();
  return command;
}
