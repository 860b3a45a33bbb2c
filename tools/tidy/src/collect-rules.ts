// npm run -s rules -- SPEC_DIR > docs/rules.txt
// Lists the id and chapter of every rule that the specification defines; none of its text.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import { formatRuleList, rulesOf } from "./rule-list.ts";

const [directory] = process.argv.slice(2);
// What stands at the top corrects the chapters in the folders, so it comes after them.
const files = ["*/**/*.md", "*.md"].flatMap((glob) =>
  directory === undefined ? [] : globSync(path.join(directory, glob)).toSorted(),
);
const rules = rulesOf(files.map((file) => readFileSync(file, "utf8")));
if (rules.length === 0) {
  const found = directory === undefined ? "no argument" : `no rule in ${directory}`;
  console.error(`rules: found ${found}, expected the directory of the specification`);
  process.exitCode = 2;
} else {
  process.stdout.write(
    [
      "# Every rule id of the specification and the chapter that defines it, tab-separated.",
      "# tools/tidy checks the citations against it. Made, never edited:",
      "#   npm run -s rules -- SPEC_DIR > docs/rules.txt",
      formatRuleList(rules),
    ].join("\n"),
  );
}
