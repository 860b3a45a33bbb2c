import {
  compareOracle,
  type OracleResult,
  parseScenario,
  runScenario,
  systemFeatures,
} from "@lrugen/sim";
import { expect, it } from "vitest";
import { EXAMPLE_SCENARIO } from "../../src/index.ts";
import kernelText from "./fixtures/inc-min-seq-example.json?raw";

it("the example is what Linux 7.3.4 has, folio by folio (AGE-13, VMA-13, FLT-02)", () => {
  const kernel = JSON.parse(kernelText) as OracleResult;
  const model = runScenario(parseScenario(EXAMPLE_SCENARIO, "example"), systemFeatures());
  expect(compareOracle(kernel, model, "inc-min-seq-example")).toBeNull();
});

it("the comparison sees a list in another order", () => {
  const kernel = JSON.parse(kernelText) as OracleResult;
  const scenario = parseScenario(EXAMPLE_SCENARIO, "example");
  const model = runScenario(scenario, systemFeatures("series/inc-min-seq"));
  expect(compareOracle(kernel, model, "inc-min-seq-example")?.path).toContain("dump after");
});
