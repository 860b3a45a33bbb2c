import { commandAt } from "./expand-scenario.ts";
import { ScenarioChecker } from "./scenario-checker.ts";
import type { RepeatNode, Scenario, ScenarioNode } from "./scenario.ts";

/** Whether `$i` in this body itself (nested blocks have a counter of their own) changes a line. */
function isCounted(body: readonly ScenarioNode[]): boolean {
  return body.some((node) => node.kind === "command" && node.counted);
}

function checkRepeat(checker: ScenarioChecker, node: RepeatNode, fileName: string): void {
  const counted = isCounted(node.body);
  for (let i = 0; i < node.count; i++) {
    const before = checker.changes;
    checkNodes(checker, node.body, i, fileName);
    // The same lines over the same state find the same: the other iterations need no look.
    if (!counted && checker.changes === before) return;
  }
}

function checkNodes(
  checker: ScenarioChecker,
  nodes: readonly ScenarioNode[],
  counter: number,
  fileName: string,
): void {
  for (const node of nodes) {
    if (node.kind === "repeat") checkRepeat(checker, node, fileName);
    else checker.check(commandAt(node, counter, fileName));
  }
}

/**
 * Checks what holds between the lines of a scenario, in the order they run: regions, files, workers
 * and descriptors exist when they are used and are not made twice, page ranges lie inside their
 * region, and nothing exceeds `SCENARIO_LIMITS`.
 *
 * Not checked: what only the run can tell, such as whether the OOM killer left the worker alive or
 * whether this worker maps the region (a touch then kills it, as a SIGSEGV does in the guest).
 *
 * @throws ScenarioError at the first line that is wrong
 */
export function checkScenario(scenario: Scenario): void {
  checkNodes(new ScenarioChecker(scenario.fileName), scenario.lines, 0, scenario.fileName);
}
