import type { Counters } from "./oracle-result.ts";

// The guest escapes these and nothing else, line feed as \n and the other controls as \u00xx.
// oxlint-disable-next-line no-control-regex
const ESCAPED = /["\\\u0000-\u001f]/g;

function escaped(char: string): string {
  if (char === '"' || char === "\\") return `\\${char}`;
  if (char === "\n") return "\\n";
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A JSON string, escaped as the fixtures are. */
export function quote(text: string): string {
  return `"${text.replace(ESCAPED, escaped)}"`;
}

/** `["…","…"]`. */
export function stringsText(lines: readonly string[]): string {
  return `[${lines.map(quote).join(",")}]`;
}

/** `[1,2,null]`. */
export function numbersText(numbers: readonly (number | null)[]): string {
  return `[${numbers.map(String).join(",")}]`;
}

/** `{"key":1,"key":2}`, keys in their own order. */
export function numbersObjectText(values: object): string {
  const entries = Object.entries(values).map(([key, value]) => `${quote(key)}:${value}`);
  return `{${entries.join(",")}}`;
}

/** As `numbersObjectText`; zero values print nothing, as in the guest. */
export function countersText(counters: Counters): string {
  const present = Object.entries(counters).filter(([, value]) => value !== 0);
  return numbersObjectText(Object.fromEntries(present));
}
