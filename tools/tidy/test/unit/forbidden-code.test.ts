import { describe, expect, it } from "vitest";

import { leftOpen, nondeterminism, skippedTests } from "../../src/rules/forbidden-code.ts";
import { found } from "./example-repository.ts";

describe("leftOpen", () => {
  it.each([
    ["TO", "DO"],
    ["FIX", "ME"],
    ["XX", "X"],
  ])("reports %s%s, also in tests", (start, end) => {
    const word = `${start}${end}`;
    expect(found(leftOpen, { "packages/a/test/a.test.ts": `\n// ${word}: later\n` })).toEqual([
      `packages/a/test/a.test.ts:2: found ${word}: finish it`,
    ]);
  });

  it("accepts words that only contain one", () => {
    expect(found(leftOpen, { "apps/a/src/a.ts": "const XXXL = 1; // mastodon" })).toEqual([]);
  });
});

/** What the rule finds in a test file with this text. */
function report(text: string): string[] {
  return found(skippedTests, { "packages/a/test/unit/a.test.ts": text });
}

describe("skippedTests", () => {
  it.each([
    ["it", "skip"],
    ["describe", "only"],
    ["test.concurrent", "skip"],
    ["it", "todo"],
    ["describe", "skipIf"],
    ["it", "runIf"],
    ["it", "fails"],
    ["ctx", "skip"],
  ])("reports %s.%s", (object, method) => {
    const call = `${object}.${method}`;
    expect(report(`\n${call}("x", f);\n`)).toEqual([
      `packages/a/test/unit/a.test.ts:2: found ${call}: every test runs, always`,
    ]);
  });

  it("accepts other calls, other objects and comments", () => {
    const method = "skip";
    const comment = `// it.${method}`;
    expect(report(`it.each([1])("x", f); reader.skip(3); ${comment}\n`)).toEqual([]);
  });
});

describe("nondeterminism", () => {
  it.each(["Math.random()", "Date.now()", "new Date()", "performance.now()"])(
    "reports %s in a package's sources",
    (call) => {
      expect(found(nondeterminism, { "packages/a/src/a.ts": `const x = ${call};` })).toHaveLength(
        1,
      );
    },
  );

  it("accepts comments, tests and apps", () => {
    const files = {
      "packages/a/src/a.ts": "/** Never Math.random. */\nexport const x = 1; // no Date.now\n",
      "packages/a/test/a.test.ts": "Date.now();",
      "apps/a/src/a.ts": "Date.now();",
    };
    expect(found(nondeterminism, files)).toEqual([]);
  });
});
