import { expect, test } from "vitest";
import { judgeBars } from "../../src/bars.ts";
import type { Environment } from "../../src/environment.ts";
import { formatJson, formatList, formatTables, type Report } from "../../src/report.ts";
import type { CaseResult } from "../../src/results.ts";
import { resultOf, scriptedCase } from "../benches.ts";

const ENVIRONMENT: Environment = {
  date: "2030-01-02T03:04:05.678Z",
  node: "v24.0.0",
  v8: "13.6",
  platform: "linux x64",
  cpu: "Some CPU",
  cpus: 2,
  load: 0.5,
};

const MEMORY: CaseResult = {
  name: "memory/16GiB",
  what: "",
  metrics: [
    { label: "resident", unit: "MiB", rounds: [[400], [401]], min: 400, median: 400.5 },
    { label: "of the folio arrays", unit: "bytes/folio", rounds: [[35]], min: 35, median: 35 },
    { label: "of the page-table arrays", unit: "bytes/PTE", rounds: [[4]], min: 4, median: 4 },
  ],
};

const CASES: readonly CaseResult[] = [
  resultOf("aging/steady/stock", [[13.25, 12.5, 14]]),
  resultOf("aging/steady/series", [[4.125, 4, 4.5]]),
  resultOf("walk/old", [[1, 1, 1.125]], "ns/PTE"),
  resultOf("fault/thp", [[712.4, 703.9, 1100]]),
  MEMORY,
];

function reportOf(cases: readonly CaseResult[]): Report {
  return { environment: ENVIRONMENT, cases, bars: judgeBars(cases) };
}

test("the tables of a run", async () => {
  await expect(formatTables(reportOf(CASES), false)).toMatchFileSnapshot("tables.txt");
});

test("the document of a run", async () => {
  await expect(formatJson(reportOf(CASES.slice(0, 2)))).toMatchFileSnapshot("document.json");
});

test("the list of cases", async () => {
  const cases = [scriptedCase("a/one", [[1]]), scriptedCase("b", [[1]])];
  await expect(formatList(cases, false)).toMatchFileSnapshot("list.txt");
});

test("a run without bars has one table", () => {
  const text = formatTables(reportOf([resultOf("fork", [[16]], "ns/page")]), false);
  expect(text.split("\n\n")).toHaveLength(2);
  expect(text).not.toContain("expected");
});
