/** Characters of a bad line that are worth repeating. */
const SHOWN_CHARS = 60;

/**
 * Input that is not in the format it should be in. The message is one line: `name:line: found "...", expected ...`.
 */
export class FormatError extends Error {
  override readonly name = "FormatError";

  /** Where the text came from, usually a file name. */
  readonly source: string;

  /** Line number, 1 for the first. */
  readonly line: number;

  /** @param found the offending text; undefined if the input ended here */
  constructor(source: string, line: number, found: string | undefined, expected: string) {
    super(`${source}:${line}: found ${quote(found)}, expected ${expected}`);
    this.source = source;
    this.line = line;
  }
}

function quote(found: string | undefined): string {
  if (found === undefined) return "the end";
  const shown = found.length > SHOWN_CHARS ? `${found.slice(0, SHOWN_CHARS)}…` : found;
  return JSON.stringify(shown);
}
