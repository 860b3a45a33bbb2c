/**
 * The middle of some figures; of the two middle ones, the mean.
 * @throws RangeError when there are none
 */
export function median(figures: readonly number[]): number {
  const sorted = ascending(figures);
  const middle = (sorted.length - 1) / 2;
  return (at(sorted, Math.floor(middle)) + at(sorted, Math.ceil(middle))) / 2;
}

/**
 * The figure that a quarter of them, rounded down, stay below.
 * @throws RangeError when there are none
 */
export function lowerQuartile(figures: readonly number[]): number {
  const sorted = ascending(figures);
  return at(sorted, Math.floor(sorted.length / 4));
}

function ascending(figures: readonly number[]): number[] {
  return figures.toSorted((a, b) => a - b);
}

function at(sorted: readonly number[], index: number): number {
  const figure = sorted[index];
  if (figure === undefined) throw new RangeError("found no figures, expected at least one");
  return figure;
}
