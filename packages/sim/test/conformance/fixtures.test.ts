import { describe, expect, test } from "vitest";
import {
  compareOracle,
  formatDifference,
  InvariantChecker,
  type OracleResult,
  parseScenario,
  runScenario,
  stringifyOracle,
  systemFeatures,
} from "../../src/index.ts";
import { VECTORS } from "../unit/conformance/vectors.ts";

/** Scenarios that need files, shared memory, eviction, memcg limits or KVM; those come later. */
const NOT_YET =
  /^(07|08|09|10|12|14|15|17|18|19|21|22|24|25|27|28|29|33|35|37|38|39|42|45|47|49|50|52|53|55|58|59|60)-/;

function run(name: string, text: string): OracleResult {
  const checker: { current?: InvariantChecker } = {};
  return runScenario(parseScenario(text, `${name}.txt`), systemFeatures(), {
    afterStep(guest, command) {
      // The checkers look at every page frame of a 1 GiB machine: where a dump is made is enough.
      if (command.op !== "dump") return;
      checker.current ??= new InvariantChecker(guest.system);
      const violations = checker.current.check(guest.workers.map(({ mm }) => mm));
      expect(violations, `after line ${command.line}: ${command.cmd}`).toEqual([]);
    },
  });
}

describe("the model prints what a real Linux 7.3.4 kernel printed, whole JSON", () => {
  for (const { name, scenario, fixture } of VECTORS.filter(
    (vector) => !NOT_YET.test(vector.name),
  )) {
    test(name, { timeout: 60_000 }, () => {
      const actual = JSON.parse(stringifyOracle(run(name, scenario))) as OracleResult;
      const difference = compareOracle(JSON.parse(fixture) as OracleResult, actual, name);
      expect(difference && formatDifference(difference)).toBeNull();
    });
  }
});

describe("what is not modelled is refused with its file and line", () => {
  for (const { name, scenario } of VECTORS.filter((vector) => NOT_YET.test(vector.name))) {
    test(name, () => {
      const refused = new RegExp(`^${name}\\.txt:\\d+: .* is not modelled`);
      expect(() => run(name, scenario)).toThrow(
        expect.objectContaining({
          name: "NotModelledError",
          message: expect.stringMatching(refused),
        }),
      );
    });
  }
});
