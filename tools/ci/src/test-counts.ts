/** The parts of a test run's JSON report (Jest's format, which vitest writes) that counting needs. */
interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly success: boolean;
  readonly testResults: readonly TestFileReport[];
}

interface TestFileReport {
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

function isTestReport(value: unknown): value is TestReport {
  return (
    typeof value === "object" &&
    value !== null &&
    "numPassedTests" in value &&
    typeof value.numPassedTests === "number" &&
    "testResults" in value &&
    Array.isArray(value.testResults)
  );
}

/** How many tests ended how. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const NONE: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/**
 * The counts of one package's report. What no single test can be blamed for still counts: a file
 * that failed to load is one failure, and so is a run that failed although all its tests passed.
 *
 * @throws {SyntaxError} when the text is not JSON
 * @throws {TypeError} when the JSON is no test report
 */
export function countsOfReport(text: string): TestCounts {
  const report: unknown = JSON.parse(text);
  if (!isTestReport(report)) {
    throw new TypeError("found no numPassedTests and testResults, expected a JSON test report");
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, success, testResults } =
    report;
  const unloaded = testResults.filter(
    (file) =>
      file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  ).length;
  const failed = numFailedTests + unloaded;
  return {
    passed: numPassedTests,
    failed: failed === 0 && !success ? 1 : failed,
    skipped: numPendingTests + numTodoTests,
  };
}

/** The sum of two counts. */
function add(a: TestCounts, b: TestCounts): TestCounts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

/** One package that has tests, and the text of its report when its run wrote one. */
export interface PackageReport {
  readonly directory: string;
  readonly report: string | undefined;
}

/** The counts of all packages, and a line for each package whose report cannot be counted. */
export interface TestSummary {
  readonly counts: TestCounts;
  readonly problems: readonly string[];
}

/** Sums the reports. A package without a readable report counts as one failure. */
export function summarize(packages: readonly PackageReport[]): TestSummary {
  let counts = NONE;
  const problems: string[] = [];
  for (const { directory, report } of packages) {
    try {
      if (report === undefined) throw new Error("its tests wrote no report");
      counts = add(counts, countsOfReport(report));
    } catch (error) {
      problems.push(`${directory}: ${error instanceof Error ? error.message : String(error)}`);
      counts = add(counts, { ...NONE, failed: 1 });
    }
  }
  return { counts, problems };
}

/** The closing line that CI reads. */
export function closingLine({ passed, failed, skipped }: TestCounts): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}
