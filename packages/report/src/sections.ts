import { paint } from "./paint.ts";

/** A title, a rule below it, and a body; ends with a line end. */
export function renderSection(title: string, body: string, color: boolean): string {
  const { heading, quiet } = paint(color);
  const rule = quiet("-".repeat(title.length));
  return `${heading(title)}\n${rule}\n${body.replace(/\n+$/, "")}\n`;
}

/**
 * `label  text`, texts aligned, one a line. A text of several lines is indented to its first.
 */
export function renderFacts(
  facts: readonly (readonly [label: string, text: string])[],
  color: boolean,
): string {
  const { label: paintLabel } = paint(color);
  const width = Math.max(0, ...facts.map(([label]) => label.length));
  const indent = `\n${" ".repeat(width + 2)}`;
  return facts
    .map(([label, text]) => {
      const gap = " ".repeat(width - label.length + 2);
      return `${paintLabel(label)}${gap}${text.replaceAll("\n", indent)}\n`;
    })
    .join("");
}
