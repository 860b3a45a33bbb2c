/** A line of a `text` or `cat` step with its position in the array it came from. */
export interface TextLine {
  readonly at: number;
  readonly text: string;
}

/** ` SEQ AGE ANON FILE`, right-aligned in 10 columns each; `x` marks a generation already gone. */
const GENERATION_LINE = /^( +[0-9]+)( +(0|[1-9][0-9]*))((?: +[0-9]+[ x]){2})$/;
const MEMCG_LINE = /^memcg ([0-9]+) (\/.*)$/;
const ROOT_PATH = "/";
const AGE_WIDTH = 10;

/**
 * Free field 1: the age of a generation line, in milliseconds. The rest of the line, and that the
 * age is a number right-aligned in its column, stay.
 */
export function withoutAge(line: string): string {
  const match = GENERATION_LINE.exec(line);
  if (match === null) return line;
  const [, seq, column, age, sizes] = match as unknown as [string, string, string, string, string];
  return column === ` ${age.padStart(AGE_WIDTH)}` ? `${seq} <age>${sizes}` : line;
}

/** Free field 2: the cgroup id of a `memcg` line; the path stays. */
export function withoutMemcgId(line: string): string {
  const match = MEMCG_LINE.exec(line);
  return match === null ? line : `memcg <id> ${match[2]}`;
}

/** Free field 5: the record of the root memcg, from its `memcg` line to the next one. */
export function withoutRootRecord(lines: readonly TextLine[]): readonly TextLine[] {
  let inRoot = false;
  return lines.filter(({ text }) => {
    const match = MEMCG_LINE.exec(text);
    if (match !== null) inRoot = match[2] === ROOT_PATH;
    return !inRoot;
  });
}

const LRU_GEN_CAT = /^cat[ \t]+\/sys\/kernel\/debug\/lru_gen/;

/**
 * What is compared of the lines of a step: lru_gen text without what is free in it, any other file
 * as it stands.
 *
 * @param key the field of the step: `lru_gen`, `lru_gen_full` (from `text`) or `text` (from `cat`)
 * @param cmd the line of the step
 */
export function comparableLines(
  key: string,
  cmd: string,
  lines: readonly string[],
): readonly TextLine[] {
  const all = lines.map((text, at) => ({ at, text }));
  const isCat = key === "text";
  if (isCat && !LRU_GEN_CAT.test(cmd)) return all;
  const kept = isCat ? withoutRootRecord(all) : all;
  return kept.map(({ at, text }) => ({ at, text: withoutMemcgId(withoutAge(text)) }));
}
