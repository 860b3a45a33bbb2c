import type {
  LruGenField,
  LruGenTier,
  SizeMark,
  StatMark,
  TierFields,
  TierMark,
} from "./lru-gen.ts";

/** One line of the text, taken apart but not yet put in context. */
export type LruGenLine =
  | { readonly kind: "memcg"; readonly id: number; readonly path: string }
  | { readonly kind: "node"; readonly node: number }
  | {
      readonly kind: "generation";
      readonly seq: number;
      readonly ageMs: number;
      readonly anon: LruGenField<SizeMark>;
      readonly file: LruGenField<SizeMark>;
    }
  | ({ readonly kind: "tier"; readonly tier: number } & LruGenTier)
  | { readonly kind: "stats"; readonly mmStats: readonly LruGenField<StatMark>[] };

/** Raised by {@link parseLruGenLine}; the reader adds file and line number. */
export class LineError extends Error {
  readonly found: string;
  readonly expected: string;

  constructor(found: string, expected: string) {
    super(`found ${found}, expected ${expected}`);
    this.found = found;
    this.expected = expected;
  }
}

// How far a line is indented tells its kind: a number is right-aligned in ten columns, after 1, 12 or 23 spaces.
const TIER_INDENT = 12;
const STATS_INDENT = 23;

const SIZE_MARKS: readonly SizeMark[] = [" ", "x"];
const REFAULTED_MARKS: readonly TierMark[] = [" ", "x", "R", "r"];
const EVICTED_MARKS: readonly TierMark[] = [" ", "x", "T", "e"];
const PROTECTED_MARKS: readonly TierMark[] = [" ", "x", "p"];

/** Column by column; four columns in 7.3, six before the secondary-mmu series. */
const STAT_MARKS: ReadonlyMap<number, readonly (readonly StatMark[])[]> = new Map([
  [4, [stat("T", "t"), stat("Y", "y"), stat("F", "f"), stat("A", "a")]],
  [
    6,
    [
      stat("L", "l"),
      stat("O", "o"),
      stat("Y", "y"),
      stat("N", "n"),
      stat("F", "f"),
      stat("A", "a"),
    ],
  ],
]);

function stat(current: StatMark, history: StatMark): readonly StatMark[] {
  return [" ", "x", current, history];
}

/**
 * Takes one line apart. Column widths are not checked, so text whose trailing blanks got lost is fine.
 *
 * @throws LineError if it is no line of `lru_gen` or `lru_gen_full`
 */
export function parseLruGenLine(line: string): LruGenLine {
  const memcg = /^memcg +(\d+)(?: ([^\r\n]*))?$/.exec(line);
  if (memcg !== null) return { kind: "memcg", id: parseCount(memcg[1]!), path: memcg[2] ?? "" };
  const node = /^ node +(\d+) *$/.exec(line);
  if (node !== null) return { kind: "node", node: parseCount(node[1]!) };

  const indent = line.search(/[^ ]/);
  if (indent < 1) throw new LineError(line, "a memcg, node, generation, tier or statistics line");
  const tokens = line.trim().split(/ +/);
  if (indent >= STATS_INDENT) return parseStats(line, tokens);
  return indent >= TIER_INDENT ? parseTier(line, tokens) : parseGeneration(line, tokens);
}

function parseGeneration(line: string, tokens: readonly string[]): LruGenLine {
  const [seq, ageMs, anon, file] = tokens;
  if (
    tokens.length !== 4 ||
    seq === undefined ||
    ageMs === undefined ||
    anon === undefined ||
    file === undefined
  ) {
    throw new LineError(line, "a generation line (seq, age in ms, anon pages, file pages)");
  }
  return {
    kind: "generation",
    seq: parseCount(seq),
    ageMs: parseCount(ageMs),
    anon: parseSize(anon),
    file: parseSize(file),
  };
}

function parseTier(line: string, tokens: readonly string[]): LruGenLine {
  if (tokens.length !== 7)
    throw new LineError(line, "a tier line (tier, three anon and three file fields)");
  return {
    kind: "tier",
    tier: parseCount(tokens[0]!),
    anon: parseTierFields(tokens.slice(1, 4)),
    file: parseTierFields(tokens.slice(4)),
  };
}

function parseTierFields(tokens: readonly string[]): TierFields {
  return [
    parseField(tokens[0]!, REFAULTED_MARKS),
    parseField(tokens[1]!, EVICTED_MARKS),
    parseField(tokens[2]!, PROTECTED_MARKS),
  ];
}

function parseStats(line: string, tokens: readonly string[]): LruGenLine {
  const marks = STAT_MARKS.get(tokens.length);
  if (marks === undefined) throw new LineError(line, "a statistics line of 4 or 6 fields");
  return {
    kind: "stats",
    mmStats: tokens.map((token, column) => parseField(token, marks[column]!)),
  };
}

/** Early MGLRU kernels print `-0` for a generation older than `min_seq`, also in the short file. */
function parseSize(token: string): LruGenField<SizeMark> {
  return token === "-0" ? { value: 0, mark: "x" } : parseField(token, SIZE_MARKS);
}

/** A number with one of `marks` after it; a lost mark is a space. */
function parseField<Mark extends string>(token: string, marks: readonly Mark[]): LruGenField<Mark> {
  const [, digits, letter] = /^(\d+)([A-Za-z]?)$/.exec(token) ?? [];
  if (digits === undefined) throw new LineError(token, "a number and at most one letter");
  const mark = marks.find((candidate) => candidate === (letter || " "));
  if (mark === undefined) {
    const letters = marks.filter((candidate) => candidate !== " ").join(", ");
    throw new LineError(token, `a number followed by a space or one of ${letters}`);
  }
  return { value: parseCount(digits), mark };
}

function parseCount(digits: string): number {
  const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new LineError(digits, "a decimal number below 2^53");
  return value;
}
