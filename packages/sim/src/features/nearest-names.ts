const SUGGESTIONS_MAX = 3;

/** Edits (one character put in, taken out or changed) from `one` to `other`. */
export function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const changed = (above[column - 1] as number) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const taken = (above[column] as number) + 1;
      const put = (current[column - 1] as number) + 1;
      current.push(Math.min(changed, taken, put));
    }
    above = current;
  }
  return above[other.length] as number;
}

/** Edits to the name or, as names are long, to its last dotted parts. */
function distance(wanted: string, name: string): number {
  const parts = name.toLowerCase().split(".");
  const tails = parts.map((_, start) => parts.slice(start).join("."));
  return Math.min(...tails.map((tail) => editDistance(wanted.toLowerCase(), tail)));
}

/**
 * What to say behind an unknown name: `; did you mean a or b?`, or every name there is when none
 * is near and they are few, or nothing.
 */
export function nearestNames(wanted: string, names: Iterable<string>): string {
  const all = [...names];
  const ranked = all
    .map((name) => ({ name, edits: distance(wanted, name) }))
    .toSorted((one, other) => one.edits - other.edits);
  const editsMax = Math.min(
    Math.max(2, Math.floor(wanted.length / 3)),
    (ranked[0]?.edits ?? 0) + 1,
  );
  const near = ranked
    .filter(({ edits }) => edits <= editsMax)
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => name);
  if (near.length > 0) return `; did you mean ${near.join(" or ")}?`;
  return all.length > 0 && all.length <= SUGGESTIONS_MAX ? `; there is ${all.join(", ")}` : "";
}
