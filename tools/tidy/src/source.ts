import { parseSync, type Comment, type Program } from "oxc-parser";

/** A TypeScript file with its syntax tree. Offsets are in UTF-16 units, as in the text. */
export interface Source {
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/** Parses TypeScript. What does not parse is the compiler's to report: the tree is then partial. */
export function parseSource(file: string, text: string): Source {
  const { program, comments } = parseSync(file, text);
  return { text, program, comments };
}

/** The text with every comment blanked; lines and offsets stay. */
export function withoutComments({ text, comments }: Source): string {
  let code = "";
  let end = 0;
  for (const comment of comments) {
    code += text.slice(end, comment.start) + blank(text.slice(comment.start, comment.end));
    end = comment.end;
  }
  return code + text.slice(end);
}

/** The text with everything but comments blanked; lines and offsets stay. */
export function onlyComments({ text, comments }: Source): string {
  let result = "";
  let end = 0;
  for (const comment of comments) {
    result += blank(text.slice(end, comment.start)) + text.slice(comment.start, comment.end);
    end = comment.end;
  }
  return result + blank(text.slice(end));
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}
