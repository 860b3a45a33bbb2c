import { describe, expect, test } from "vitest";
import { type OracleStep, parseScenario, runScenario, systemFeatures } from "../../../src/index.ts";

/** What each line of a scenario gave. */
function run(text: string): readonly OracleStep[] {
  return runScenario(parseScenario(text, "files.txt"), systemFeatures()).steps;
}

const ROOT = "/sys/fs/cgroup";

describe("the files of the root memcg", () => {
  test("memory.reclaim is reclaim of the whole machine (CLS-03, SHR-04)", () => {
    const steps = run(
      `file F 600\nopen 0 F\nfadvise 0 random 0 0\nread 0 0 600\ndrain\nwrite ${ROOT}/memory.reclaim 512K\ndump end sizes`,
    );
    const [reclaim, dump] = steps.slice(-2);
    expect(reclaim).toEqual({ cmd: `write ${ROOT}/memory.reclaim 512K` });
    const stolen = dump!.dump!.vmstat_delta["pgsteal_proactive"]!;
    expect(stolen).toBeGreaterThanOrEqual(128);
    expect(dump!.dump!.nr_pages.file.reduce((sum, pages) => sum + pages)).toBe(600 - stolen);
  });

  test.each(["max", "high", "low", "min", "swap.max"])("has no memory.%s", (name) => {
    expect(run(`write ${ROOT}/memory.${name} 1M`)[0]!.err).toBe("ENOENT");
  });

  test("the counters of the whole guest are not modelled", () => {
    expect(() => run(`cat ${ROOT}/memory.stat`)).toThrow(
      /^files\.txt:1: the file \/sys\/fs\/cgroup\/memory\.stat is not modelled/,
    );
  });
});

test("reclaim while the multi-gen LRU is off is refused with its file and line", () => {
  expect(() => run("anon A 64\ntouch A 0 64 w\nenabled n\nreclaim 64K")).toThrow(
    /^files\.txt:4: reclaim with the classic LRU \(MGLRU is off\) is not modelled/,
  );
});
