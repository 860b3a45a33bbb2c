import { NotModelledError } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import {
  type Dump,
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

/** A step but for the place of the memcg in the memcg LRU, which is random. */
function withoutPlace({ dump, ...step }: OracleStep): object {
  return dump === undefined ? step : { ...step, dump: { ...dump, memcg_gen: 0, memcg_seg: 0 } };
}

function errors(steps: readonly OracleStep[]): unknown[] {
  return steps.map(({ err }) => err);
}

function pages({ nr_pages: { anon, file } }: Dump): number {
  return [...anon, ...file].reduce((sum, count) => sum + count, 0);
}

/** Generations, and the pages in each. */
function window({ max_seq, min_seq, nr_pages }: Dump): unknown[] {
  return [max_seq, min_seq, nr_pages];
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

  test("160: reclaim of the machine leaves a memcg under memory.min alone, all but its place among memcgs is identical", () => {
    const { model, kernel } = both("160-root-reclaim");
    expect(kernel.filter(({ dump }) => dump !== undefined)).toHaveLength(6);
    const printed = JSON.parse(JSON.stringify(model.map(withoutPlace))) as object[];
    expect(printed).toEqual(kernel.map(withoutPlace));
  });

  test("161: two memcgs give alike to it, whichever is first, and all they have in the end", () => {
    const name = "161-root-reclaim-both";
    const dumpsOf = (cmd: string): [Dump, Dump] => {
      const [[model, kernel]] = stepsOf(name, cmd) as [[OracleStep, OracleStep]];
      return [model.dump!, kernel.dump!];
    };
    for (const round of [1, 2, 3]) {
      const [a, expectedA] = dumpsOf(`dump a${round} sizes`);
      const [b, expectedB] = dumpsOf(`dump b${round} sizes`);
      near(pages(a) + pages(b), pages(expectedA) + pages(expectedB));
      near(a.vmstat_delta["pgsteal_proactive"]!, expectedA.vmstat_delta["pgsteal_proactive"]!);
    }
    // Of 4,000 pages each, neither gives more than three quarters of the first reclaim.
    const given = ["a1", "b1"].map((memcg) => 4000 - pages(dumpsOf(`dump ${memcg} sizes`)[0]));
    expect(Math.max(...given) / (given[0]! + given[1]!)).toBeLessThan(0.75);
    for (const memcg of ["a4", "b4"]) {
      const [model, kernel] = dumpsOf(`dump ${memcg} sizes`);
      expect(window(model)).toEqual(window(kernel));
    }
    const { model, kernel } = both(name);
    expect(errors(model)).toEqual(errors(kernel));
    expect(errors(kernel)).toContain("EAGAIN");
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
