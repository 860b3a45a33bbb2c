import { describe, expect, it } from "vitest";
import { stringifyOracle } from "../../../src/dump/oracle-text.ts";
import type { OracleResult, OracleStep } from "../../../src/dump/oracle-result.ts";
import { fixtureNamed, VECTORS } from "../conformance/vectors.ts";

/** The printed steps of a result with one step. */
function printed(step: OracleStep): string {
  const result: OracleResult = { ...fixtureNamed("00-smoke"), steps: [step] };
  const text = stringifyOracle(result);
  return text.slice(text.indexOf('"steps"'));
}

describe("stringifyOracle", () => {
  it.each(VECTORS)("prints $name byte for byte", ({ fixture }) => {
    expect(stringifyOracle(JSON.parse(fixture) as OracleResult)).toBe(fixture);
  });

  it("escapes as the guest does: tab as \\u0009, line feed as \\n, no slash", () => {
    expect(printed({ cmd: 'raw "a\\b"\t/\n\u0001é' })).toBe(
      '"steps":[\n  {"cmd":"raw \\"a\\\\b\\"\\u0009/\\n\\u0001é"}\n ]}\n',
    );
  });

  it("prints what the guest adds to a failed guest run", () => {
    expect(printed({ cmd: "kvmtouch A 0 1 r", err: "KVM_EXIT", exit_reason: 6 })).toBe(
      '"steps":[\n  {"cmd":"kvmtouch A 0 1 r","err":"KVM_EXIT","exit_reason":6}\n ]}\n',
    );
  });

  it("leaves out counters of 0", () => {
    expect(printed({ cmd: "stat", "memory.stat": { anon: 0, file: 4096 } })).toBe(
      '"steps":[\n  {"cmd":"stat",\n   "memory.stat":{"file":4096}}\n ]}\n',
    );
  });

  it("prints a run without steps", () => {
    const text = stringifyOracle({ ...fixtureNamed("00-smoke"), steps: [] });
    expect(text.endsWith(',\n "steps":[\n ]}\n')).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ steps: [] });
  });
});
