import { describe, expect, test } from "vitest";
import { type OracleStep, parseScenario, runScenario, systemFeatures } from "../../../src/index.ts";

/** What each line of a scenario gave. */
function run(text: string): readonly OracleStep[] {
  return runScenario(parseScenario(text, "tree.txt"), systemFeatures()).steps;
}

/** The lines that failed, with their errno. */
function errors(text: string): string[] {
  return run(text).flatMap(({ cmd, err }) => (err === undefined ? [] : [`${cmd}: ${err}`]));
}

describe("the cgroup tree of the guest", () => {
  test("a memcg with workers gets no children, and one with children no workers", () => {
    expect(errors("mkcg t/a\nmkcg p\nmkcg p/a\nmove p\nmove p/a\nmkcg t/a\nmkcg t/a")).toEqual([
      "mkcg t/a: EBUSY",
      "move p: EBUSY",
      "mkcg t/a: EEXIST",
    ]);
  });

  test("a memcg with workers or children is not removed, and is gone once it was", () => {
    const text = "mkcg p\nmkcg p/a\nmove p/a\nrmcg p\nrmcg p/a\nmove t\nrmcg p/a\nrmcg p\nrmcg p";
    expect(errors(text)).toEqual(["rmcg p: EBUSY", "rmcg p/a: EBUSY", "rmcg p: ENOENT"]);
  });

  test("pages stay charged where they were when their worker moves, and dumps are about the memcg in use", () => {
    const steps = run(
      "anon A 8\nmkcg p\ntouch A 0 4 w\nmove p\ntouch A 4 4 w\ndrain\nuse p\ndump p\nuse t\ndump t",
    );
    const pages = steps.flatMap(({ dump }) =>
      dump ? [dump.lists.map((list) => list.folios)] : [],
    );
    expect(pages.flat(2).map(([name, first, last]) => [name, first, last])).toEqual([
      ["A", 7, 4],
      ["A", 3, 0],
    ]);
  });
});
