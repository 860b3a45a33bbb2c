import { matches, type Repository, type Violation } from "../repository.ts";
import { parseRuleList, RULE_ID } from "../rule-list.ts";
import { onlyComments, parseSource, withoutComments } from "../source.ts";
import { typescriptFiles } from "../workspace.ts";

const RULES = "docs/rules.txt";

const CITATION = new RegExp(String.raw`(?<![$\w-])(${RULE_ID})\b`, "g");

/** A string that is nothing but an id, as in a feature's list of rules. */
const ID_STRING = new RegExp(`(?<=["'])(${RULE_ID})(?=["'])`, "g");

/** What looks like a rule id and is none. */
const OTHER_NAMES = /^(?:ADR|ISO|RFC|SHA|UTF)-/;

/** Every rule id that the packages cite, in comments, feature lists and tests, is in the list. */
export function ruleCitations(repository: Repository): Violation[] {
  const known = new Set(parseRuleList(repository.read(RULES) ?? "").map(({ id }) => id));
  const isWrong = (id: string): boolean => !known.has(id) && !OTHER_NAMES.test(id);
  return typescriptFiles(repository)
    .filter((file) => /^packages\/[^/]+\/(?:src|test)\//.test(file))
    .flatMap((file) => citations(file, repository.read(file) ?? ""))
    .filter(({ message: id }) => isWrong(id))
    .map(({ file, line, message: id }) => ({
      file,
      line,
      message: `cites ${id}, which ${RULES} does not list`,
    }));
}

function citedId([, id = ""]: RegExpMatchArray): string {
  return id;
}

/** Every citation in the file, with the id in place of a message. */
function citations(file: string, text: string): Violation[] {
  // A test cites in its names, so all of its text counts.
  if (file.includes("/test/")) return matches(file, text, CITATION, citedId);
  const source = parseSource(file, text);
  return [
    ...matches(file, onlyComments(source), CITATION, citedId),
    ...matches(file, withoutComments(source), ID_STRING, citedId),
  ];
}
