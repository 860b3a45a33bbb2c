import type { IncMinSeqAging } from "./aging-record.ts";

/** Consecutive agings that did the same in every run compared. */
export interface AgingSpan {
  /** Index of the first of them. */
  readonly first: number;
  /** Index of the last of them. */
  readonly last: number;
}

/**
 * Groups agings for a table: the first `single` stand alone, of the rest neighbours that are equal
 * in every run are one span.
 * @param runs the agings of each run; only as many as the shortest has are grouped
 * @param single agings at the start that stay apart
 * @param shown what has to be equal
 */
export function agingSpans(
  runs: readonly (readonly IncMinSeqAging[])[],
  single: number,
  shown: readonly (keyof IncMinSeqAging)[],
): AgingSpan[] {
  const count = Math.min(...runs.map((agings) => agings.length));
  const spans: AgingSpan[] = [];
  for (let i = 0; i < count; i++) {
    const span = spans.at(-1);
    const joins = span !== undefined && i > single && runs.every((run) => same(run, i, shown));
    if (joins) spans[spans.length - 1] = { first: span.first, last: i };
    else spans.push({ first: i, last: i });
  }
  return spans;
}

/** Whether aging `i` shows the same as the one before it. */
function same(
  agings: readonly IncMinSeqAging[],
  i: number,
  shown: readonly (keyof IncMinSeqAging)[],
): boolean {
  const one = agings[i - 1] as IncMinSeqAging;
  const other = agings[i] as IncMinSeqAging;
  return shown.every((key) => one[key] === other[key]);
}
