/** What the variables of a debugfs command template stand for at the moment of the write. */
export interface LruGenVariables {
  /** `$ID`: the cgroup id of the scenario memcg. */
  readonly id: number;
  /** `$MAX`: max_seq. */
  readonly max: number;
  /** `$MINA`: min_seq of the anon type. */
  readonly mina: number;
  /** `$MINF`: min_seq of the file type. */
  readonly minf: number;
}

/** The write buffer holds 512 bytes and is filled only while 32 are free. */
const OUTPUT_LENGTH_STOP = 480;
const LONG_MAX = 9223372036854775807n;
const OFFSET = /[+-][0-9]+/y;

/** In the order they are tried; none is a prefix of a later one. */
const VARIABLES: readonly (readonly [string, keyof LruGenVariables])[] = [
  ["$ID", "id"],
  ["$MAX", "max"],
  ["$MINA", "mina"],
  ["$MINF", "minf"],
];

/** strtol() saturates. */
function clampToLong(value: bigint): bigint {
  if (value > LONG_MAX) return LONG_MAX;
  return value < -LONG_MAX - 1n ? -LONG_MAX - 1n : value;
}

/** `value` plus the `+n` or `-n` at `at`, if there is one, as an unsigned 64-bit number. */
function withOffset(template: string, at: number, value: number): [text: string, next: number] {
  OFFSET.lastIndex = at;
  const offset = OFFSET.exec(template)?.[0] ?? "";
  const sum = BigInt(value) + (offset === "" ? 0n : clampToLong(BigInt(offset.replace("+", ""))));
  return [BigInt.asUintN(64, sum).toString(), at + offset.length];
}

/**
 * The string that a `raw`, `rawfrom`, `age` or `evict` line writes to debugfs lru_gen: `$ID`,
 * `$MAX`, `$MINA` and `$MINF` (each with an optional `+n` or `-n`) become numbers, `\n` and `\t`
 * become control characters, everything else stays as it is.
 *
 * Arithmetic is unsigned 64-bit: `$MAX-9` below zero prints the wrapped number, as in the guest.
 */
export function substituteLruGen(template: string, variables: LruGenVariables): string {
  let out = "";
  let at = 0;
  while (at < template.length && out.length < OUTPUT_LENGTH_STOP) {
    const variable = VARIABLES.find(([name]) => template.startsWith(name, at));
    if (variable !== undefined) {
      const [name, key] = variable;
      const [text, next] = withOffset(template, at + name.length, variables[key]);
      out += text;
      at = next;
    } else if (template.startsWith("\\n", at)) {
      out += "\n";
      at += 2;
    } else if (template.startsWith("\\t", at)) {
      out += "\t";
      at += 2;
    } else {
      out += template[at] as string;
      at++;
    }
  }
  return out;
}
