import { substituteCounter } from "./expand-scenario.ts";
import { SCENARIO_LIMITS } from "./limits.ts";
import { parseCommand } from "./parse-command.ts";
import { parseOptionLine, ScenarioOptionsBuilder } from "./scenario-options.ts";
import { quoteWord, ScenarioError } from "./scenario-error.ts";
import type { CommandNode, Scenario, ScenarioNode } from "./scenario.ts";

const REPEAT_USAGE = "repeat N";

/** A `repeat` whose `end` has not come yet. */
interface OpenBlock {
  readonly line: number;
  readonly count: number;
  readonly body: ScenarioNode[];
}

/** `repeat N` reads N in decimal only. */
function parseRepeatCount(text: string, line: number, fileName: string): number {
  const words = text.split(/[ \t]+/).filter((word) => word !== "");
  const [, count, surplus] = words;
  if (count === undefined) throw new ScenarioError(fileName, line, "no count", REPEAT_USAGE);
  if (surplus !== undefined && !surplus.startsWith("#")) {
    throw new ScenarioError(fileName, line, `${quoteWord(surplus)} too much`, REPEAT_USAGE);
  }
  const value = /^[0-9]+$/.test(count) ? Number.parseInt(count, 10) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw new ScenarioError(fileName, line, `count ${quoteWord(count)}`, "a decimal number");
  }
  return value;
}

function parseCommandNode(text: string, line: number, fileName: string): CommandNode {
  const cmd = substituteCounter(text, 0);
  const command = parseCommand(cmd, line, fileName);
  return { kind: "command", line, text, counted: cmd !== text, command };
}

/** Commands that run when `nodes` do; it goes as deep as blocks may be nested. */
function commandsOf(nodes: readonly ScenarioNode[]): number {
  let commands = 0;
  for (const node of nodes) {
    commands += node.kind === "command" ? 1 : node.count * commandsOf(node.body);
  }
  return commands;
}

/** The nodes of a file as they come, blocks nested by a stack of their own. */
class NodeBuilder {
  readonly #fileName: string;
  readonly #top: ScenarioNode[] = [];
  readonly #open: OpenBlock[] = [];

  constructor(fileName: string) {
    this.#fileName = fileName;
  }

  add(text: string, line: number): void {
    const word = /^[^ \t]*/.exec(text)?.[0] ?? "";
    if (word === "repeat") this.#begin(text, line);
    else if (word === "end") this.#end(text, line);
    else this.#append(parseCommandNode(text, line, this.#fileName));
  }

  finish(): readonly ScenarioNode[] {
    const open = this.#open.at(-1);
    if (open !== undefined) {
      throw new ScenarioError(
        this.#fileName,
        open.line,
        "repeat without end",
        "a line `end` behind its body",
      );
    }
    return this.#top;
  }

  #checkSize({ line, count, body }: OpenBlock): void {
    const { repeatCommandsMax } = SCENARIO_LIMITS;
    const commands = count * commandsOf(body);
    if (commands <= repeatCommandsMax) return;
    const found = `repeat of ${commands} commands`;
    throw new ScenarioError(this.#fileName, line, found, `at most ${repeatCommandsMax}`);
  }

  #append(node: ScenarioNode): void {
    (this.#open.at(-1)?.body ?? this.#top).push(node);
  }

  #begin(text: string, line: number): void {
    const { repeatDepthMax } = SCENARIO_LIMITS;
    const count = parseRepeatCount(text, line, this.#fileName);
    if (this.#open.length === repeatDepthMax) {
      const found = `repeat inside ${repeatDepthMax} others`;
      throw new ScenarioError(this.#fileName, line, found, `at most ${repeatDepthMax} levels`);
    }
    this.#open.push({ line, count, body: [] });
  }

  #end(text: string, line: number): void {
    const surplus = text.slice("end".length).trim();
    if (surplus !== "" && !surplus.startsWith("#")) {
      throw new ScenarioError(this.#fileName, line, quoteWord(text.trim()), "end");
    }
    const block = this.#open.pop();
    if (block === undefined) {
      throw new ScenarioError(this.#fileName, line, "end without repeat", REPEAT_USAGE);
    }
    this.#checkSize(block);
    this.#append({ kind: "repeat", ...block });
  }
}

/**
 * Parses a scenario file. Every line is read, those of a `repeat 0` block too.
 *
 * What only holds between lines (a region that exists, a range inside it) is `checkScenario`'s.
 *
 * @param text the whole file; line ends may be LF or CRLF
 * @param fileName for messages
 * @throws ScenarioError at the first line that is no valid command
 */
export function parseScenario(text: string, fileName: string): Scenario {
  const options = new ScenarioOptionsBuilder();
  const nodes = new NodeBuilder(fileName);
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  for (const [index, raw] of source.split("\n").entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const trimmed = line.replace(/^[ \t\v\f\r]+/, "");
    if (line.startsWith("#!")) parseOptionLine(line, index + 1, fileName, options);
    else if (trimmed !== "" && !trimmed.startsWith("#")) nodes.add(trimmed, index + 1);
  }
  return { fileName, options: options.finish(), lines: nodes.finish() };
}
