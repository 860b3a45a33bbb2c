import { describe, expect, it } from "vitest";

import { closingLine, countsOfReport, summarize } from "../../src/test-counts.ts";

/** A report as vitest writes it, of one file whose tests ended as given. */
function report(statuses: readonly string[], fileStatus = "passed", success = true): string {
  const count = (status: string): number => statuses.filter((s) => s === status).length;
  return JSON.stringify({
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    numPendingTests: count("pending"),
    numTodoTests: count("todo"),
    success,
    testResults: [{ status: fileStatus, assertionResults: statuses.map((status) => ({ status })) }],
  });
}

describe("countsOfReport", () => {
  it("takes passed, failed and skipped tests as the report counts them", () => {
    const text = report(["passed", "passed", "failed", "pending", "todo"], "failed", false);
    expect(countsOfReport(text)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  it("counts a file that failed to load as one failure", () => {
    expect(countsOfReport(report([], "failed", false)).failed).toBe(1);
  });

  it("does not count a file twice when one of its tests failed", () => {
    expect(countsOfReport(report(["failed"], "failed", false)).failed).toBe(1);
  });

  it("counts a run that failed outside any test as one failure", () => {
    expect(countsOfReport(report(["passed"], "passed", false)).failed).toBe(1);
  });

  it("refuses JSON that is no test report", () => {
    expect(() => countsOfReport("{}")).toThrow("expected a JSON test report");
    expect(() => countsOfReport("null")).toThrow("expected a JSON test report");
  });
});

describe("summarize", () => {
  it("adds the packages up", () => {
    const summary = summarize([
      { directory: "packages/a", report: report(["passed", "passed"]) },
      { directory: "packages/b", report: report(["passed", "failed"], "failed", false) },
    ]);
    expect(summary).toEqual({ counts: { passed: 3, failed: 1, skipped: 0 }, problems: [] });
  });

  it("counts a package that wrote no report as one failure and names it", () => {
    const { counts, problems } = summarize([{ directory: "packages/a", report: undefined }]);
    expect(counts.failed).toBe(1);
    expect(problems).toEqual(["packages/a: its tests wrote no report"]);
  });

  it("counts a cut-off report as one failure and names its package", () => {
    const { counts, problems } = summarize([{ directory: "packages/a", report: '{"numPass' }]);
    expect(counts.failed).toBe(1);
    expect(problems[0]).toMatch(/^packages\/a: .*JSON/);
  });
});

describe("closingLine", () => {
  it("leaves skipped tests out when there are none", () => {
    expect(closingLine({ passed: 7, failed: 0, skipped: 0 })).toBe("7 passed, 0 failed");
  });

  it("names skipped tests when there are some", () => {
    expect(closingLine({ passed: 7, failed: 1, skipped: 2 })).toBe("7 passed, 1 failed, 2 skipped");
  });
});
