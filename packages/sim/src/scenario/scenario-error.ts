/**
 * What is wrong with a scenario file, in one line: `file:line: found …, expected …`.
 *
 * Only mistakes of the scenario itself are scenario errors. What the kernel would answer with an
 * errno (a malformed debugfs command, `enabled x`, a read past the end of a file) is not.
 */
export class ScenarioError extends Error {
  readonly fileName: string;
  /** 1-based line of the scenario file. */
  readonly line: number;
  readonly found: string;
  readonly expected: string;

  constructor(fileName: string, line: number, found: string, expected: string) {
    super(`${fileName}:${line}: found ${found}, expected ${expected}`);
    this.name = "ScenarioError";
    this.fileName = fileName;
    this.line = line;
    this.found = found;
    this.expected = expected;
  }
}

const QUOTED_LENGTH_MAX = 60;

/** A word of the file as an error message shows it: quoted, on one line, cut when it is long. */
export function quoteWord(word: string): string {
  const shown = word.length > QUOTED_LENGTH_MAX ? `${word.slice(0, QUOTED_LENGTH_MAX)}…` : word;
  return JSON.stringify(shown);
}
