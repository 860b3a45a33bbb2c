/** A rule of the specification: its id, and the chapter that defines it. */
export interface SpecRule {
  readonly id: string;
  readonly chapter: string;
}

/** What a rule id looks like, for use in a regular expression. */
export const RULE_ID: string = String.raw`[A-Z][A-Z0-9]*(?:-(?:PRE|POST|OBS))?-\d{1,3}[a-z]?`;

/** Most ids are defined where a line, a list item, a heading or a table row begins with them. */
const OPENING = new RegExp(
  String.raw`^\s*\(?(?:[-*]\s+\(?|\d+\.\s+|#+\s+|\|\s*)?(?:\*\*|\x60)?(${RULE_ID})(?![\w.-])`,
);

/** Some are defined by the last cell of a table row; the same place may also just cite one. */
const CLOSING = new RegExp(String.raw`\|\s*\x60?(${RULE_ID})(?![\w.-])[^|]*\|\s*$`);

/** A range, as a heading announces it; its ids are defined below, one by one. */
const RANGE = new RegExp(String.raw`^\s*\x60?${RULE_ID}\.\.`);

/** A heading that names a chapter: of the first level, or numbered or lettered as one. */
const CHAPTER = /^(?:# |## (?=(?:[A-Z]|\d+)\. ))(.*)$/;

/**
 * The rules that the specification's Markdown files define, each id once: the openings of all files
 * in order, then what only a closing cell defines.
 */
export function rulesOf(files: readonly string[]): SpecRule[] {
  const rules = new Map<string, SpecRule>();
  for (const pattern of [OPENING, CLOSING]) {
    for (const rule of files.flatMap((markdown) => definitions(markdown, pattern))) {
      if (!rules.has(rule.id)) rules.set(rule.id, rule);
    }
  }
  return [...rules.values()];
}

function definitions(markdown: string, pattern: RegExp): SpecRule[] {
  let chapter = "";
  const rules: SpecRule[] = [];
  for (const line of markdown.split("\n")) {
    chapter = CHAPTER.exec(line)?.[1] ?? chapter;
    const id = RANGE.test(line) ? undefined : pattern.exec(line)?.[1];
    if (id !== undefined) rules.push({ id, chapter });
  }
  return rules;
}

/** One line a rule. */
export function formatRuleList(rules: readonly SpecRule[]): string {
  return rules.map(({ id, chapter }) => `${id}\t${chapter}\n`).join("");
}

/** Reads such a list; lines that start with # are notes. */
export function parseRuleList(text: string): SpecRule[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [id = "", chapter = ""] = line.split("\t");
      return { id, chapter };
    });
}
