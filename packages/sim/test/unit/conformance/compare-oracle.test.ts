import * as fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { compareOracle } from "../../../src/conformance/compare-oracle.ts";
import { formatDifference } from "../../../src/conformance/difference.ts";
import type { OracleResult } from "../../../src/dump/oracle-result.ts";
import { fixtureNamed, VECTORS } from "./vectors.ts";

/** JSON that a test may change anywhere. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const numRuns = inject("soak") ? 5000 : 150;

/** A fixture with the values at `places` (keys joined by `/`) replaced; undefined deletes. */
function changed(name: string, places: Record<string, unknown>): OracleResult {
  const result = fixtureNamed(name);
  for (const [place, value] of Object.entries(places)) {
    const keys = place.split("/");
    const last = keys.pop() as string;
    let node = result as unknown as Record<string, unknown>;
    for (const key of keys) node = node[key] as Record<string, unknown>;
    if (value === undefined) delete node[last];
    else node[last] = value;
  }
  return result;
}

/** The one-line difference after the change, "" for none. */
function differenceOf(name: string, places: Record<string, unknown>): string {
  const difference = compareOracle(fixtureNamed(name), changed(name, places), name);
  return difference === null ? "" : formatDifference(difference);
}

describe("compareOracle", () => {
  it.each(VECTORS)("finds none between $name and itself", ({ name, fixture }) => {
    const [one, other] = [JSON.parse(fixture), JSON.parse(fixture)] as OracleResult[];
    expect(compareOracle(one as OracleResult, other as OracleResult, name)).toBeNull();
  });

  it.each([
    [
      "a folio run, whole",
      { "steps/3/dump/lists/0/folios/0/5": 2 },
      'steps[3] "dump d1" /lists/0/folios/0: expected ["A",30,0,0,2,0,"RULB"], got ["A",30,0,0,2,2,"RULB"]',
    ],
    [
      "numbers side by side, whole",
      { "steps/3/dump/min_seq/1": 1 },
      'steps[3] "dump d1" /min_seq: expected [0,0], got [0,1]',
    ],
    [
      "a Bloom filter that is not allocated",
      { "steps/7/dump/mm_state/bloom_bits/1": 0 },
      'steps[7] "dump d3" /mm_state/bloom_bits: expected [2,null], got [2,0]',
    ],
    [
      "a list that is not there",
      { "steps/3/dump/lists": [] },
      'steps[3] "dump d1" /lists/0: expected {"type":"anon","seq":2,',
    ],
    [
      "page tables",
      { "steps/3/dump/procs/w0/regions/A/pte": "Y41.23" },
      'steps[3] "dump d1" /procs/w0/regions/A/pte: expected "Y40.24", got "Y41.23"',
    ],
    [
      "a counter that one side leaves out",
      { "steps/3/dump/vmstat_delta/pgactivate": 3 },
      'steps[3] "dump d1" /vmstat_delta/pgactivate: expected nothing, got 3',
    ],
    ["a return value", { "steps/6/ret": 11 }, 'steps[6] "age" /ret: expected 10, got 11'],
    [
      "an error",
      { "steps/4/err": "EINVAL" },
      'steps[4] "drain" /err: expected nothing, got "EINVAL"',
    ],
    ["a line", { "steps/4/cmd": "stat" }, 'steps[4] "drain" /cmd: expected "drain", got "stat"'],
    [
      "text, by line",
      { "steps/8/lru_gen/4": "          3        200         41           0 " },
      'steps[8] "text t1" /lru_gen/4: expected "          3        200         40           0 ", got "          3        200         41           0 "',
    ],
    [
      "text that is too short",
      { "steps/8/lru_gen": ["memcg 28 /t"] },
      'steps[8] "text t1" /lru_gen/1: expected " node     0", got nothing',
    ],
    ["the CPUs", { cpus: 2 }, "/cpus: expected 1, got 2"],
    ["the layout", { "layout/gen_shift": 28 }, "/layout/gen_shift: expected 27, got 28"],
    [
      "a step too few",
      { steps: [] },
      'steps[0] "anon A 64": expected {"cmd":"anon A 64"}, got nothing',
    ],
  ])("reports %s", (_, places, line) => {
    expect(differenceOf("00-smoke", places).slice(0, line.length)).toBe(line);
  });

  it("reports a step too many", () => {
    const expected = { ...fixtureNamed("00-smoke"), steps: [] };
    expect(compareOracle(expected, fixtureNamed("00-smoke"), "00-smoke")).toEqual({
      path: 'steps[0] "anon A 64"',
      expected: undefined,
      actual: { cmd: "anon A 64" },
    });
  });

  it.each([
    [
      "1: ages",
      "00-smoke",
      { "steps/8/lru_gen/4": "          3       9999         40           0 " },
    ],
    ["2: the memcg number", "00-smoke", { "steps/8/lru_gen_full/0": "memcg 31 /t" }],
    ["3: the banner", "00-smoke", { kernel: "lrugen" }],
    ["4: minflt of a KVM worker", "50-kvm-aging", { "steps/9/dump/procs/w0/minflt": 16 }],
    ["6: locked pages after an OOM kill", "60-memcg-oom", { "steps/4/dump/vmstat_delta": {} }],
    ["9: memory.max events within 5 %", "60-memcg-oom", { "steps/4/dump/memory.events/max": 34 }],
    ["a counter of 0, as if left out", "00-smoke", { "steps/3/dump/vmstat_delta/pswpin": 0 }],
  ])("leaves free %s", (_, name, places) => {
    expect(differenceOf(name, places)).toBe("");
  });

  it("leaves free field 5: the root memcg's record in a cat", () => {
    const expected = fixtureNamed("29-text-format");
    const last = expected.steps.length - 1;
    const lines = expected.steps[last]?.text as readonly string[];
    const start = lines.indexOf("memcg 28 /t");
    const place = `steps/${last}/text`;
    expect(differenceOf("29-text-format", { [place]: lines.slice(start) })).toBe("");
    expect(differenceOf("29-text-format", { [place]: lines.slice(0, start) })).toMatch(
      /\/text\/[0-9]+: expected "memcg 28 \/t", got nothing$/,
    );
  });

  it("leaves free fields 7 and 8 where the kernel's own steps say so", () => {
    const steps = [{ cmd: "enabled n" }, { cmd: "file F 8" }];
    const expected = fixtureNamed("00-smoke");
    const shifted = { ...expected, steps: [...steps, ...expected.steps.slice(0, 2)] };
    const withCounters = (counters: Record<string, number>): OracleResult => {
      const result = JSON.parse(JSON.stringify(shifted)) as OracleResult;
      Object.assign(result.steps[3]?.dump?.vmstat_delta as object, counters);
      return result;
    };
    const compare = (kernel: Record<string, number>, model: Record<string, number>) =>
      compareOracle(withCounters(kernel), withCounters(model), "s");
    expect(compare({ pgactivate: 3 }, { pgactivate: 2 })).toBeNull();
    expect(compare({ pgactivate: 3 }, { pgactivate: 1 })).not.toBeNull();
    expect(compare({ workingset_nodereclaim: 4, workingset_nodes: 9 }, {})).toBeNull();
    expect(compare({ workingset_nodes: 9 }, {})).not.toBeNull();
  });

  it("takes a scenario's file for its name", () => {
    const name = "60-memcg-oom";
    const model = changed(name, { "steps/4/dump/memory.events/max": 34 });
    expect(compareOracle(fixtureNamed(name), model, `dir/scenarios/${name}.txt`)).toBeNull();
    expect(compareOracle(fixtureNamed(name), model, "61-memcg-oom")).not.toBeNull();
  });
});

/** Every number, string and null of a document by its place, steps' text left out. */
function leavesOf(node: Json, place: string, into: string[]): string[] {
  if (typeof node === "object" && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      if (place.endsWith("lru_gen") || place.endsWith("lru_gen_full")) continue;
      leavesOf(value, place === "" ? key : `${place}/${key}`, into);
    }
  } else if (place !== "kernel") {
    into.push(place);
  }
  return into;
}

describe("nothing else is free", () => {
  it.each(["17-refault-anon", "24-toggle", "31-thp-aging"])(
    "any one changed or missing value of %s is a difference",
    (name) => {
      const leaves = leavesOf(fixtureNamed(name) as unknown as Json, "", []);
      expect(leaves.length).toBeGreaterThan(400);
      fc.assert(
        fc.property(
          fc.constantFrom(...leaves),
          fc.constantFrom(987654, undefined),
          (place, value) => {
            expect(differenceOf(name, { [place]: value })).not.toBe("");
          },
        ),
        { numRuns },
      );
    },
  );

  it("in fixture 33, where shadow nodes are reclaimed, that counter is", () => {
    const name = "33-memory-reclaim";
    const free = leavesOf(fixtureNamed(name) as unknown as Json, "", []).filter(
      (place) => differenceOf(name, { [place]: 987654 }) === "",
    );
    const counters = new Set(free.map((place) => place.replace(/^steps\/[0-9]+\/dump\//, "")));
    expect([...counters].toSorted()).toEqual(["vmstat_delta/workingset_nodereclaim"]);
  });
});
