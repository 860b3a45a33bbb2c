import { describe, expect, test } from "vitest";
import { type Dump, parseScenario, runScenario, systemFeatures } from "../../../src/index.ts";

/** The last dump of a scenario. */
function dumpOf(lines: readonly string[]): Dump {
  const scenario = parseScenario([...lines, "dump end", ""].join("\n"), "test.txt");
  return runScenario(scenario, systemFeatures()).steps.at(-1)!.dump!;
}

describe("what the harness does beside a command", () => {
  test("large folios enabled for the first time start khugepaged, which drains (fixture 74)", () => {
    const touched = ["anon A 8", "touch A 0 4 w"];
    expect(dumpOf([...touched, "thp 64kB"]).batches).toEqual({});
    expect(dumpOf(["thp 64kB", ...touched, "thp never"]).batches).not.toEqual({});
  });

  test.each([
    ["anon A 1024", "madvise A hugepage 1 1023", "touch A 600 1 w"],
    ["proc p1", "@p1 anon A 512", "@p1 madvise A hugepage 0 512", "@p1 touch A 0 1 w"],
  ])("khugepaged would collapse what %s and further lines leave behind", (...lines) => {
    expect(() => dumpOf([...lines, "thp 2048kB"])).toThrow(
      `test.txt:${lines.length + 1}: khugepaged (collapsing what was advised MADV_HUGEPAGE before) is not modelled`,
    );
  });

  test.each([
    ["not advised", ["anon A 512", "touch A 0 1 w", "thp 2048kB"]],
    ["too small", ["anon A 511", "madvise A hugepage 0 511", "touch A 0 1 w", "thp 2048kB"]],
    ["not aligned", ["anon A 900", "madvise A hugepage 1 899", "touch A 9 1 w", "thp 2048kB"]],
    ["empty", ["anon A 512", "madvise A hugepage 0 512", "thp 2048kB"]],
    ["size too small", ["anon A 512", "madvise A hugepage 0 512", "touch A 0 1 w", "thp 1024kB"]],
    ["second pass", ["thp never", "anon A 512 thp=64kB", "touch A 0 1 w", "thp 2048kB"]],
  ])("khugepaged finds nothing to collapse: %s", (_why, lines) => {
    expect(dumpOf(lines).enabled).toBe(1);
  });

  test("what is counted while a worker is made does not show (fixture 71)", () => {
    const unlocked = ["anon A 8", "mlock A 0 8", "unmap A 0 4"];
    expect(dumpOf([...unlocked, "drain"]).vmstat_delta["unevictable_pgs_munlocked"]).toBe(4);
    expect(dumpOf([...unlocked, "fork c1"]).vmstat_delta).toEqual({
      unevictable_pgs_culled: 8,
      unevictable_pgs_mlocked: 8,
    });
  });
});
