import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ownConformanceDirectory } from "../../src/conformance/conformance-set.ts";
import { run } from "../recording-io.ts";
import { scratchDirectory } from "../scratch-directory.ts";

const own = (file: string): string =>
  readFileSync(path.join(ownConformanceDirectory(), file), "utf8");
const smoke = {
  scenario: own("scenarios/00-smoke.txt"),
  fixture: own("fixtures/00-smoke.json"),
};

describe("a conformance set", () => {
  it("that is identical passes, exit code 0", async () => {
    const cwd = scratchDirectory({
      "set/scenarios/00-smoke.txt": smoke.scenario,
      "set/fixtures/00-smoke.json": smoke.fixture,
    });
    const { code, out, err } = await run("conformance set", { cwd });
    expect({ code, out, err }).toEqual({
      code: 0,
      out: "identical 00-smoke\n1 passed, 0 failed\n",
      err: "",
    });
  });

  it("fails for a difference, for what is not modelled, and for a half of a pair", async () => {
    const cwd = scratchDirectory({
      "set/scenarios/alone.txt": "nop\n",
      "set/scenarios/file.txt": "write /no/file 1\n",
      "set/fixtures/file.json": '{"steps": []}',
      "set/scenarios/other.txt": smoke.scenario,
      "set/fixtures/other.json": smoke.fixture.replace('"max_seq":3', '"max_seq":4'),
      "set/fixtures/result.json": smoke.fixture,
      "set/scenarios/same.txt": smoke.scenario,
      "set/fixtures/same.json": smoke.fixture,
    });
    const { code, out } = await run("conformance set", { cwd });
    expect(code).toBe(1);
    expect(out.split("\n")).toEqual([
      "failed alone: there is a scenario, but no fixture",
      "failed file: set/scenarios/file.txt:1: the file /no/file is not modelled in this version",
      expect.stringMatching(/^failed other: steps\[\d+\] ".*" \/max_seq: expected 4, got 3$/),
      "failed result: there is a fixture, but no scenario",
      "identical same",
      "1 passed, 4 failed",
      "",
    ]);
  });

  it("as JSON has the same verdicts", async () => {
    const cwd = scratchDirectory({
      "set/scenarios/alone.txt": "nop\n",
      "set/scenarios/same.txt": smoke.scenario,
      "set/fixtures/same.json": smoke.fixture,
    });
    const { code, out } = await run("conformance set --json", { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      schema: "lrugen.conformance/1",
      passed: 1,
      failed: 1,
      scenarios: [
        {
          name: "alone",
          outcome: "incomplete",
          reason: "there is a scenario, but no fixture",
        },
        { name: "same", outcome: "identical", reason: null },
      ],
    });
  });

  it("stopped on the way prints the verdicts so far, exit code 130", async () => {
    const { code, out, err } = await run("conformance", { interruptAfter: 2 });
    expect(code).toBe(130);
    expect(err).toMatch(/^interrupted after 2 of \d\d+ scenarios\n$/);
    expect(out.split("\n")).toHaveLength(4);
    expect(out).toMatch(/^identical 00-smoke\n.*\n\d passed, \d failed\n$/);
  });
});

describe("the project's own set", () => {
  it("has a line for each scenario and a score that adds up", async () => {
    const { code, out } = await run("conformance");
    const lines = out.trimEnd().split("\n");
    const score = /^(\d+) passed, (\d+) failed$/.exec(lines.at(-1) ?? "");
    const identical = lines.filter((line) => line.startsWith("identical "));
    const failed = lines.filter((line) => line.startsWith("failed "));
    expect(score?.slice(1).map(Number)).toEqual([identical.length, failed.length]);
    expect(identical.length + failed.length).toBe(lines.length - 1);
    expect(code).toBe(failed.length === 0 ? 0 : 1);
  });

  it("is identical wherever nothing but anonymous memory and aging is used", async () => {
    const { out } = await run("conformance");
    const identical = [...out.matchAll(/^identical (\d+)/gm)].map(([, number]) => number);
    expect(identical).toEqual(
      expect.arrayContaining(["00", "01", "02", "03", "05", "11", "13", "23", "30", "31", "41"]),
    );
  });
});
