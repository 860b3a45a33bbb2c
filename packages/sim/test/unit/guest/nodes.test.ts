import { describe, expect, test } from "vitest";
import { type OracleStep, parseScenario, runScenario, systemFeatures } from "../../../src/index.ts";

function run(text: string): readonly OracleStep[] {
  return runScenario(parseScenario(text, "nodes.txt"), systemFeatures()).steps;
}

/** First and last page of every run in a dump. */
function pagesOf(step: OracleStep): [number, number][] {
  return step.dump!.lists.flatMap(({ folios }) =>
    folios.map(([, first, last]): [number, number] => [first, last]),
  );
}

describe("the nodes of the guest", () => {
  test("a worker's pages come from the node it prefers, and so do those of its children", () => {
    const dumps = run(
      `#! numa=2
anon A 16
touch A 0 4 w
prefer 1
touch A 4 4 w
fork c
@c touch A 8 4 w
drain
dump n0
dumpnode 1 n1`,
    ).slice(-2);
    expect(dumps.map(pagesOf)).toEqual([[[3, 0]], [[11, 4]]]);
  });

  test("a node that is not there is EINVAL to the policy and refused by a dump", () => {
    expect(run("prefer 1")).toEqual([{ cmd: "prefer 1", err: "EINVAL" }]);
    expect(() => run("dumpnode 1 x")).toThrow(
      /^nodes\.txt:1: a dump of node 1, .* is not modelled/,
    );
  });
});
