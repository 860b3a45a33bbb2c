/** Shift of a size suffix: `K`/`k` is 2^10, `M` is 2^20, as the scenario language has it. */
const SUFFIX_FACTOR: Readonly<Record<string, number>> = { K: 1024, k: 1024, M: 1024 * 1024 };

const NUMBER = /^\+?(?:0[xX]([0-9a-fA-F]+)|0([0-7]*)|([1-9][0-9]*))([KkM]?)$/;

/** What a number looks like, for error messages. */
export const NUMBER_FORM = "a number (decimal, 0x hex or 0 octal, K or M may follow)";

/**
 * Reads a number as C's strtoull does in base 0, with an optional K, k or M behind it.
 *
 * @returns the value, or null when `word` is no such number or is not exactly representable
 */
export function parseNumber(word: string): number | null {
  const match = NUMBER.exec(word);
  if (match === null) return null;
  const [, hex, octal, decimal, suffix] = match;
  let value: number;
  if (hex !== undefined) value = Number.parseInt(hex, 16);
  else if (decimal !== undefined) value = Number.parseInt(decimal, 10);
  else value = octal === undefined || octal === "" ? 0 : Number.parseInt(octal, 8);
  value *= SUFFIX_FACTOR[suffix ?? ""] ?? 1;
  return Number.isSafeInteger(value) ? value : null;
}

const MEMORY_SIZE = /^([0-9]+)([KkMmGgTt]?)$/;
const KIB_OF: Readonly<Record<string, number>> = {
  k: 1,
  m: 1024,
  g: 1024 * 1024,
  t: 1024 * 1024 * 1024,
};

/**
 * Reads a memory size as QEMU's `-m` does: `512M`, `1G`; a bare number is in MiB.
 *
 * @returns bytes, or null when `word` is no positive size
 */
export function parseMemorySize(word: string): number | null {
  const match = MEMORY_SIZE.exec(word);
  if (match === null) return null;
  const [, digits, suffix] = match;
  const unit = (suffix === undefined || suffix === "" ? "m" : suffix).toLowerCase();
  const bytes = Number.parseInt(digits as string, 10) * (KIB_OF[unit] as number) * 1024;
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : null;
}
