import type { Command } from "./command.ts";
import { parseCommand } from "./parse-command.ts";
import type { CommandNode, Scenario, ScenarioNode } from "./scenario.ts";

const COUNTER = /\$i(?![A-Za-z0-9])/g;

/** `text` with every `$i` that no letter or digit follows replaced by the loop counter. */
export function substituteCounter(text: string, counter: number): string {
  return text.replace(COUNTER, String(counter));
}

/**
 * The command that a line stands for in the iteration `counter` of its innermost `repeat`.
 *
 * @throws ScenarioError when the counter makes an argument invalid
 */
export function commandAt(node: CommandNode, counter: number, fileName: string): Command {
  if (!node.counted || counter === 0) return node.command;
  return parseCommand(substituteCounter(node.text, counter), node.line, fileName);
}

/** Whether running `nodes` yields anything: a huge loop around nothing must not be run. */
function hasCommands(nodes: readonly ScenarioNode[]): boolean {
  return nodes.some(
    (node) => node.kind === "command" || (node.count > 0 && hasCommands(node.body)),
  );
}

function* expandNodes(
  nodes: readonly ScenarioNode[],
  counter: number,
  fileName: string,
): Generator<Command, void, undefined> {
  for (const node of nodes) {
    if (node.kind === "command") {
      yield commandAt(node, counter, fileName);
      continue;
    }
    if (!hasCommands(node.body)) continue;
    for (let i = 0; i < node.count; i++) yield* expandNodes(node.body, i, fileName);
  }
}

/**
 * The commands of a scenario in the order they run, `repeat` unrolled one iteration at a time.
 *
 * @throws ScenarioError when a counter makes an argument invalid (`checkScenario` finds it first)
 */
export function expandScenario(scenario: Scenario): Generator<Command, void, undefined> {
  return expandNodes(scenario.lines, 0, scenario.fileName);
}
