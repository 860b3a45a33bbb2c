import { describe, expect, it } from "vitest";

import { formatRuleList, parseRuleList, rulesOf } from "../../src/rule-list.ts";

const ids = (...files: string[]): string[] => rulesOf(files).map(({ id }) => id);

describe("rulesOf", () => {
  it.each([
    ["a bold list item", "- **AGE-10** text"],
    ["a bold list item with a title", "- **AGE-10 some title** text"],
    ["a line in backticks", "`AGE-10` text"],
    ["a table row", "| AGE-10 | text | AGE-12 text |"],
    ["a heading", "## AGE-10 title"],
    ["a numbered item", "3. **AGE-10** text"],
    ["the last cell of a row", "| text | AGE-10 **LAB** |"],
  ])("finds a rule defined by %s", (_, line) => {
    expect(ids(line)).toContain("AGE-10");
  });

  it.each([
    ["cited in a sentence", "The walk of AGE-10 goes on."],
    ["in a range", "`AGE-10..AGE-12` (counters):"],
  ])("takes no id %s", (_, line) => {
    expect(ids(line)).toEqual([]);
  });

  it("keeps the suffix letter and the middle part of an id", () => {
    expect(ids("- **ADD-14b** x\n- **S2-PRE-01** y")).toEqual(["ADD-14b", "S2-PRE-01"]);
  });

  it("names the chapter: a heading of the first level, or numbered or lettered as one", () => {
    const text =
      "# Aging\n- **A-01**\n## 3.1 Part\n- **A-02**\n## 4. Next\n- **A-03**\n## C. Late\n- **A-04**";
    expect(rulesOf([text]).map(({ chapter }) => chapter)).toEqual([
      "Aging",
      "Aging",
      "4. Next",
      "C. Late",
    ]);
  });

  it("lists a rule once, at its first definition", () => {
    expect(rulesOf(["# One\n- **A-01**\n", "# Two\n- **A-01**\n"])).toEqual([
      { id: "A-01", chapter: "One" },
    ]);
  });

  it("prefers a definition that opens a line to a mention that closes a row", () => {
    expect(rulesOf(["# One\n| x | A-01 |\n", "# Two\n- **A-01**\n"])).toEqual([
      { id: "A-01", chapter: "Two" },
    ]);
  });
});

describe("parseRuleList", () => {
  it("reads what formatRuleList wrote, below notes", () => {
    const rules = [{ id: "AGE-10", chapter: "Aging" }];
    expect(parseRuleList(`# note\n${formatRuleList(rules)}`)).toEqual(rules);
  });
});
