// Prints "N passed, N failed" over the last test run of every package; exit 1 unless all passed.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { closingLine, summarize, type PackageReport } from "./test-counts.ts";

const ROOT: string = path.resolve(import.meta.dirname, "../../..");
const REPORT = ".turbo/test-results.json";

/** Every package whose manifest has a test script, with its report. */
function readReports(): PackageReport[] {
  return ["packages", "apps", "tools"].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .map((name) => `${folder}/${name}`)
      .filter((directory) => hasTests(path.join(ROOT, directory, "package.json")))
      .map((directory) => {
        const file = path.join(ROOT, directory, REPORT);
        return { directory, report: existsSync(file) ? readFileSync(file, "utf8") : undefined };
      }),
  );
}

function hasTests(manifest: string): boolean {
  if (!existsSync(manifest)) return false;
  const { scripts }: { scripts?: { test?: string } } = JSON.parse(readFileSync(manifest, "utf8"));
  return scripts?.test !== undefined;
}

const { counts, problems } = summarize(readReports());
for (const problem of problems) console.error(problem);
console.log(closingLine(counts));
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
