/** The first place where a result is not what the kernel printed. */
export interface Difference {
  /** `steps[5] "dump a1" /lists/0/folios/2`: the step, its line, the place inside it. */
  readonly path: string;
  /** The kernel's value; undefined: there is none. */
  readonly expected: unknown;
  /** The model's value; undefined: there is none. */
  readonly actual: unknown;
}

const SHOWN_LENGTH_MAX = 160;
/** Characters kept before the first one that differs. */
const LEAD_LENGTH = 24;

function valueText(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}

function sameLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

/** `text` cut to what fits, starting shortly before `at`. */
function excerpt(text: string, at: number): string {
  if (text.length <= SHOWN_LENGTH_MAX) return text;
  const start = Math.max(0, at - LEAD_LENGTH);
  const end = start + SHOWN_LENGTH_MAX;
  const head = start > 0 ? "…" : "";
  return head + text.slice(start, end) + (end < text.length ? "…" : "");
}

/** A difference in one line: `PATH: expected …, got …`, long values cut to where they differ. */
export function formatDifference({ path, expected, actual }: Difference): string {
  const wanted = valueText(expected);
  const got = valueText(actual);
  const at = sameLength(wanted, got);
  return `${path}: expected ${excerpt(wanted, at)}, got ${excerpt(got, at)}`;
}
