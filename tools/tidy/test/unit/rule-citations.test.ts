import { describe, expect, it } from "vitest";

import { ruleCitations } from "../../src/rules/rule-citations.ts";
import { found } from "./example-repository.ts";

const rules = { "docs/rules.txt": "# note\nAGE-10\tAging\nS1-03\tSeries\nS2-PRE-01\tSeries\n" };

describe("ruleCitations", () => {
  it("accepts rules that the list has", () => {
    const text = "/** AGE-10, S1-03; before, S2-PRE-01. */\nexport {};\n";
    expect(found(ruleCitations, { ...rules, "packages/a/src/a.ts": text })).toEqual([]);
  });

  it.each(["AGE-11", "AEG-10", "AGE-1", "S2-PRE-02"])(
    "reports %s, which the list does not have, with its line",
    (id) => {
      const text = `\n// see ${id}\n`;
      expect(found(ruleCitations, { ...rules, "packages/a/src/a.ts": text })).toEqual([
        `packages/a/src/a.ts:2: cites ${id}, which docs/rules.txt does not list`,
      ]);
    },
  );

  it("reports a wrong citation in the name of a test", () => {
    const text = 'it("ages (AGE-99)", f);';
    expect(found(ruleCitations, { ...rules, "packages/a/test/a.test.ts": text })).toHaveLength(1);
  });

  it("reports a wrong id in a feature's list of rules", () => {
    const text = 'const feature = {\n  rules: ["S1-03", "S1-04"],\n};\n';
    expect(found(ruleCitations, { ...rules, "packages/a/src/a.ts": text })).toEqual([
      "packages/a/src/a.ts:2: cites S1-04, which docs/rules.txt does not list",
    ]);
  });

  it("leaves other code of sources alone, and other names in comments", () => {
    const text = 'const label = "see DIR-45"; // UTF-8, docs/adr: ADR-0001, $MAX-2\n';
    expect(found(ruleCitations, { ...rules, "packages/a/src/a.ts": text })).toEqual([]);
  });
});
