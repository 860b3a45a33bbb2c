import { NotModelledError } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import {
  compareOracle,
  formatDifference,
  InvariantChecker,
  type OracleResult,
  type OracleStep,
  parseScenario,
  runScenario,
  stringifyOracle,
  systemFeatures,
} from "../../src/index.ts";
import { VECTORS } from "../unit/conformance/vectors.ts";

/** Scenarios with lines that need KVM; those come later. */
const NOT_YET = /^(50|52|53)-/;
/** Scenarios that depend on kswapd, the TLB or a memcg's random place; no two boots agree on them. */
const QUALITATIVE = /^(45|58|59|160|161)-/;

/** Runs a scenario as far as it goes, asking for every invariant at each dump. */
function run(name: string, text: string): { steps: OracleStep[]; refused: Error | null } {
  const steps: OracleStep[] = [];
  let checker: InvariantChecker | undefined;
  try {
    runScenario(parseScenario(text, `${name}.txt`), systemFeatures(), {
      afterStep(guest, { op, line, cmd }, step) {
        steps.push(step);
        // The checkers look at every page frame of a 1 GiB machine: where a dump is made is enough.
        if (op !== "dump") return;
        checker ??= new InvariantChecker(guest.system);
        const violations = checker.check(guest.workers.map(({ mm }) => mm));
        expect(violations, `after line ${line}: ${cmd}`).toEqual([]);
      },
    });
  } catch (error) {
    if (!(error instanceof NotModelledError)) throw error;
    return { steps, refused: error };
  }
  return { steps, refused: null };
}

/** The first difference between what the kernel printed and these steps of the same scenario. */
function differenceOf(name: string, fixture: string, steps: readonly OracleStep[]): string | null {
  const expected = JSON.parse(fixture) as OracleResult;
  const actual = JSON.parse(stringifyOracle({ ...expected, steps })) as OracleResult;
  const ran = { ...expected, steps: expected.steps.slice(0, steps.length) };
  const difference = compareOracle(ran, actual, name);
  return difference && formatDifference(difference);
}

const EXACT = VECTORS.filter(({ name }) => !NOT_YET.test(name) && !QUALITATIVE.test(name));
const refusedYet = VECTORS.filter(({ name }) => NOT_YET.test(name));

describe("the model prints what a real Linux 7.3.4 kernel printed, whole JSON", () => {
  test.each(EXACT)("$name", ({ name, scenario, fixture }) => {
    const { steps, refused } = run(name, scenario);
    expect(refused).toBeNull();
    expect(differenceOf(name, fixture, steps)).toBeNull();
  });
});

describe("what is not modelled is refused with its file and line, and all before it is identical", () => {
  test.each(refusedYet)("$name", ({ name, scenario, fixture }) => {
    const { steps, refused } = run(name, scenario);
    expect(refused?.message).toMatch(new RegExp(`^${name}\\.txt:\\d+: .* is not modelled`));
    expect(differenceOf(name, fixture, steps)).toBeNull();
  });
});
