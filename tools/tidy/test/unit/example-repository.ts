import { repositoryOf, type Rule } from "../../src/repository.ts";

/** What a rule finds, as lines that a test can compare. */
export function found(rule: Rule, files: Readonly<Record<string, string>>): string[] {
  return rule(repositoryOf(files)).map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

/** The files that `changes` replaces, adds, or (with undefined) removes. */
export function changed(
  files: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const all = Object.entries({ ...files, ...changes });
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
