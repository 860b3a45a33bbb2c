import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The files of a repository: what every rule reads, so that tests can make one up. */
export interface Repository {
  /** Paths from the root with forward slashes, sorted. */
  readonly paths: readonly string[];
  /** The text of a file, or undefined when there is no such file. */
  read(path: string): string | undefined;
}

/** One thing that a rule found wrong. */
export interface Violation {
  /** Path from the root. */
  readonly file: string;
  /** Counted from 1; 1 when the whole file is meant. */
  readonly line: number;
  /** What was found and what is expected. */
  readonly message: string;
}

/** A rule reads the repository and returns what breaks it. */
export type Rule = (repository: Repository) => Violation[];

/** A repository in memory, for tests. */
export function repositoryOf(files: Readonly<Record<string, string>>): Repository {
  const texts = new Map(Object.entries(files));
  return { paths: [...texts.keys()].toSorted(), read: (file) => texts.get(file) };
}

/**
 * The repository at `root`. Leaves out `.git` and the directories that its `.gitignore` names:
 * `name/` there means any directory of that name, the one form this repository uses.
 */
export function readRepository(root: string): Repository {
  const ignored = new Set([".git", ...ignoredDirectories(root)]);
  const paths: string[] = [];
  const visit = (directory: string): void => {
    for (const entry of readdirSync(path.join(root, directory), { withFileTypes: true })) {
      const file = path.posix.join(directory, entry.name);
      if (!entry.isDirectory()) paths.push(file);
      else if (!ignored.has(entry.name)) visit(file);
    }
  };
  visit("");
  const known = new Set(paths);
  const texts = new Map<string, string>();
  return {
    paths: paths.toSorted(),
    read: (file) => {
      if (!known.has(file)) return undefined;
      const text = texts.get(file) ?? readFileSync(path.join(root, file), "utf8");
      texts.set(file, text);
      return text;
    },
  };
}

function ignoredDirectories(root: string): string[] {
  return readFileSync(path.join(root, ".gitignore"), "utf8")
    .split("\n")
    .filter((line) => line.endsWith("/"))
    .map((line) => line.slice(0, -1));
}

/** The line, counted from 1, that holds the character at `offset`. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < offset; i = text.indexOf("\n", i + 1)) line += 1;
  return line;
}

/** Where `pattern` (with the flag g) matches in `text`, as violations of `file`. */
export function matches(
  file: string,
  text: string,
  pattern: RegExp,
  message: (match: RegExpMatchArray) => string,
): Violation[] {
  return [...text.matchAll(pattern)].map((match) => ({
    file,
    line: lineAt(text, match.index),
    message: message(match),
  }));
}
