import { distance as editDistance } from "fastest-levenshtein";

const SUGGESTIONS_MAX = 3;

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
