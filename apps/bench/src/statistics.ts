/**
 * The middle of some figures; of the two middle ones, the mean.
 * @throws RangeError when there are none
 */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError("median of no figures");
  return (lower + upper) / 2;
}
