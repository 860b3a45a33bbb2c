import { describe, expect, test } from "vitest";
import {
  parseScenario,
  runScenario,
  stringifyOracle,
  System,
  systemFeatures,
} from "../../../src/index.ts";

interface Dump {
  readonly dump?: {
    readonly procs: { readonly w0: { readonly regions: { readonly A: { readonly pte: string } } } };
    readonly vmstat_delta: Readonly<Record<string, number>>;
  };
}

/** The last dump of a scenario. */
function lastDump(text: string): NonNullable<Dump["dump"]> {
  const result = runScenario(parseScenario(`${text}\ndump end\n`, "swap.txt"), systemFeatures());
  const { steps } = JSON.parse(stringifyOracle(result)) as { readonly steps: readonly Dump[] };
  return steps.at(-1)!.dump!;
}

describe("the guest's swap", () => {
  test("is 256 MiB of which the first page is the header, unless the config says otherwise", () => {
    const features = systemFeatures();
    expect(new System({ features }).memory.swap.free).toBe(65_535);
    expect(new System({ features, swapPages: 0 }).memory.swap.free).toBe(0);
  });

  test("a write touch stores (i + 1) mod 256, so every 256th page is zeroes and is not written (CNT-06)", () => {
    const { procs, vmstat_delta } = lastDump(
      "anon A 600\ntouch A 10 576 w\nmadvise A pageout 0 600",
    );
    expect(procs.w0.regions.A.pte).toBe(".10s576.14");
    expect([vmstat_delta["nr_vmscan_write"], vmstat_delta["pswpout"]]).toEqual([576, 574]);
    expect(Object.keys(vmstat_delta)).not.toContain("swpout_zero");
  });

  test.each([
    [63, "O16"],
    [64, "s16"],
  ])("with %i slots left eviction by the system's swappiness leaves %s (TRIG-02)", (slots, pte) => {
    const dump = lastDump(
      `anon A 16\ntouch A 0 16 w\ndrain\nage 200\nage 200\ncg memory.swap.max ${slots * 4}K\nraw - $ID 0 $MAX-2`,
    );
    expect(dump.procs.w0.regions.A.pte).toBe(pte);
  });
});
