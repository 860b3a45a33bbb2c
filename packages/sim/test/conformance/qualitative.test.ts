import { NotModelledError } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import {
  type OracleResult,
  type OracleStep,
  parseScenario,
  runScenario,
  systemFeatures,
} from "../../src/index.ts";
import { VECTORS } from "../unit/conformance/vectors.ts";

/** What the model and the kernel print for a qualitative scenario, as far as the model goes. */
function both(name: string): { model: readonly OracleStep[]; kernel: readonly OracleStep[] } {
  const vector = VECTORS.find((candidate) => candidate.name === name)!;
  const model: OracleStep[] = [];
  try {
    runScenario(parseScenario(vector.scenario, name), systemFeatures(), {
      afterStep: (_guest, _command, step) => model.push(step),
    });
  } catch (error) {
    // Pressure stall information is the last thing that is asked for.
    if (!(error instanceof NotModelledError) || !/pressure/.test(error.message)) throw error;
  }
  const { steps } = JSON.parse(vector.fixture) as OracleResult;
  return { model, kernel: steps };
}

/** The steps of one kind, the model's beside the kernel's. */
function stepsOf(name: string, cmd: string): [OracleStep, OracleStep][] {
  const { model, kernel } = both(name);
  const at = kernel.flatMap((step, i) => (step.cmd === cmd ? [i] : []));
  return at.map((i) => [model[i]!, kernel[i]!]);
}

function near(found: number, expected: number): void {
  expect(Math.abs(found / expected - 1)).toBeLessThan(0.1);
}

describe("scenarios that no two boots agree on end the same way, counts within 10 %", () => {
  test("45: an anonymous stream of 2.3 times the limit", () => {
    for (const cmd of ["dump round-0 sizes", "dump round-1 sizes"]) {
      const [[model, kernel]] = stepsOf("45-pressure-anon-stream", cmd) as [
        [OracleStep, OracleStep],
      ];
      for (const name of ["workingset_refault_anon", "pgsteal_direct", "pgscan_direct", "pswpin"]) {
        near(model.dump!.vmstat_delta[name] as number, kernel.dump!.vmstat_delta[name] as number);
      }
      near(
        model.dump!["memory.events"]["max"] as number,
        kernel.dump!["memory.events"]["max"] as number,
      );
      expect(Math.abs(model.dump!.max_seq - kernel.dump!.max_seq)).toBeLessThanOrEqual(1);
    }
  });

  test("58: with min_ttl_ms kswapd finds nothing old enough and the worker is killed", () => {
    const [[model, kernel]] = stepsOf("58-min-ttl-kswapd", "touch A 0 120000 w") as [
      [OracleStep, OracleStep],
    ];
    expect(model.err).toBe(kernel.err);
    const [[stat, expected]] = stepsOf("58-min-ttl-kswapd", "stat") as [[OracleStep, OracleStep]];
    near(stat["memory.stat"]!["pgfault"] as number, expected["memory.stat"]!["pgfault"] as number);
    expect(stat["memory.stat"]!["pgsteal"]).toBeUndefined();
  });

  test("59: without it the same load swaps and goes through", () => {
    const [[model, kernel]] = stepsOf("59-min-ttl-off-kswapd", "dump end sizes") as [
      [OracleStep, OracleStep],
    ];
    for (const name of ["pgsteal_anon", "pgscan_anon", "pswpout", "nr_vmscan_write"]) {
      near(model.dump!.vmstat_delta[name] as number, kernel.dump!.vmstat_delta[name] as number);
    }
    const [[stat, expected]] = stepsOf("59-min-ttl-off-kswapd", "stat") as [
      [OracleStep, OracleStep],
    ];
    near(stat["memory.stat"]!["anon"] as number, expected["memory.stat"]!["anon"] as number);
    expect(stat["memory.stat"]!["pgfault"]).toBe(120_000);
  });
});
