/**
 * kstrtouint(): an unsigned 32-bit number as sysfs and debugfs accept it: optional `+`, base by
 * prefix (0x, 0, or decimal), optional final newline, nothing else.
 * @returns the number, or null when it is malformed or out of range
 * Source: SYS-01, CMD-04; lib/kstrtox.c behaviour seen on the reference kernel.
 */
export function kstrtouint(text: string): number | null {
  const match = /^\+?(?:0[xX](?<hex>[0-9a-fA-F]+)|0(?<oct>[0-7]*)|(?<dec>[1-9][0-9]*))\n?$/.exec(
    text,
  );
  if (match === null) return null;
  const { hex, oct, dec } = match.groups as { hex?: string; oct?: string; dec?: string };
  const value = BigInt(
    hex !== undefined ? `0x${hex}` : dec !== undefined ? dec : `0o0${oct ?? ""}`,
  );
  return value <= 0xffff_ffffn ? Number(value) : null;
}
