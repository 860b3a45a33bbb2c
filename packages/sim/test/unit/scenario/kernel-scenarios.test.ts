import { describe, expect, it } from "vitest";
import type { OracleResult } from "../../../src/dump/oracle-result.ts";
import { checkScenario } from "../../../src/scenario/check-scenario.ts";
import { expandScenario } from "../../../src/scenario/expand-scenario.ts";
import { parseScenario } from "../../../src/scenario/parse-scenario.ts";
import { VECTORS } from "../conformance/vectors.ts";

describe("every scenario that the kernel ran", () => {
  it("is there: the first 46 and 4 qualitative ones, and those the project added since", () => {
    const first = VECTORS.filter(({ name }) => Number.parseInt(name, 10) <= 60);
    expect(first).toHaveLength(50);
    expect(VECTORS.length).toBeGreaterThan(first.length);
  });

  it.each(VECTORS)(
    "$name expands to the lines the kernel printed",
    ({ name, scenario, fixture }) => {
      const parsed = parseScenario(scenario, `${name}.txt`);
      checkScenario(parsed);
      const { steps } = JSON.parse(fixture) as OracleResult;
      expect([...expandScenario(parsed)].map(({ cmd }) => cmd)).toEqual(
        steps.map(({ cmd }) => cmd),
      );
    },
  );

  it.each(VECTORS)("$name has the CPUs of the guest", ({ name, scenario, fixture }) => {
    const { cpus } = JSON.parse(fixture) as OracleResult;
    expect(parseScenario(scenario, `${name}.txt`).options.smp).toBe(cpus);
  });
});
