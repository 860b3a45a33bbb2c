import { parseScenario, runScenario, stringifyOracle, systemFeatures } from "@lrugen/sim";
import { EXAMPLE_SCENARIO } from "@lrugen/workloads";
import { expect, it } from "vitest";
import { run } from "../recording-io.ts";
import { scratchDirectory } from "../scratch-directory.ts";

const oracleText = (features: string): string =>
  stringifyOracle(runScenario(parseScenario(EXAMPLE_SCENARIO, ""), systemFeatures(features)));

it("prints what the oracle prints", async () => {
  const cwd = scratchDirectory({ "example.txt": EXAMPLE_SCENARIO });
  const { code, out, err } = await run("scenario example.txt", { cwd });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe(oracleText(""));
});

it("reads stdin for -, and runs on the features given", async () => {
  const line = "scenario - --kernel linux-7.3 --features series/inc-min-seq";
  const { out } = await run(line, { input: EXAMPLE_SCENARIO });
  expect(out).toBe(oracleText("series/inc-min-seq"));
  expect(out).not.toBe(oracleText(""));
});
