import { expect, test } from "vitest";
import { caseResult } from "../../src/results.ts";
import { runSuite } from "../../src/suite.ts";
import { scriptedCase } from "../benches.ts";

test("a round runs every case once, one after the other", async () => {
  const cases = [scriptedCase("a", [[1]]), scriptedCase("b", [[1]])];
  const log: string[] = [];
  const results = await runSuite(
    cases,
    2,
    async (name) => {
      log.push(`begin ${name}`);
      await Promise.resolve();
      log.push(`end ${name}`);
      return [[log.length]];
    },
    (message) => log.push(message),
  );
  expect(log).toEqual([
    "round 1 of 2: a",
    "begin a",
    "end a",
    "round 1 of 2: b",
    "begin b",
    "end b",
    "round 2 of 2: a",
    "begin a",
    "end a",
    "round 2 of 2: b",
    "begin b",
    "end b",
  ]);
  expect(results.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(results.map(({ metrics }) => metrics[0]?.rounds)).toEqual([
    [[3], [9]],
    [[6], [12]],
  ]);
});

test("ends with the first case that fails", async () => {
  const cases = [scriptedCase("a", [[1]]), scriptedCase("b", [[1]])];
  const asked: string[] = [];
  const run = runSuite(
    cases,
    3,
    (name) => {
      asked.push(name);
      return Promise.reject(new Error(`${name} failed`));
    },
    () => {},
  );
  await expect(run).rejects.toThrow("a failed");
  expect(asked).toEqual(["a"]);
});

test("a result has minimum and median over all rounds, and keeps them apart", () => {
  const one = scriptedCase("a", [[0, 0]]);
  const rounds = [
    [
      [5, 3, 4],
      [50, 70, 60],
    ],
    [
      [9, 8, 1],
      [10, 90, 80],
    ],
  ];
  expect(caseResult(one, rounds)).toEqual({
    name: "a",
    what: "what a measures",
    metrics: [
      {
        label: "figure 0",
        unit: "ns",
        rounds: [
          [5, 3, 4],
          [9, 8, 1],
        ],
        min: 1,
        median: 4.5,
      },
      {
        label: "figure 1",
        unit: "ns",
        rounds: [
          [50, 70, 60],
          [10, 90, 80],
        ],
        min: 10,
        median: 65,
      },
    ],
  });
});
