/**
 * Letters of a folio's page flags in dumps, in the order they are printed, with the flag's bit in
 * the folio flag word (spec section 1.3: Debian's 7.3 configuration).
 */
export const FOLIO_FLAG_LETTERS: readonly (readonly [letter: string, bit: number, name: string])[] =
  [
    ["K", 0, "locked"],
    ["k", 1, "writeback"],
    ["R", 2, "referenced"],
    ["U", 3, "uptodate"],
    ["D", 4, "dirty"],
    ["L", 5, "lru"],
    ["A", 8, "active"],
    ["W", 9, "workingset"],
    ["C", 10, "owner_priv_1"],
    ["P", 16, "reclaim"],
    ["B", 17, "swapbacked"],
    ["N", 18, "unevictable"],
    ["M", 20, "mlocked"],
    ["X", 19, "dropbehind"],
  ];

const PRINTED_FLAGS = FOLIO_FLAG_LETTERS.reduce((mask, [, bit]) => mask | (1 << bit), 0);

/** Every flag that has a letter: folios that differ in other bits only print the same. */
export const PRINTED_FOLIO_FLAGS: number = PRINTED_FLAGS;

/** The letters of the flags set in `flags`, the low 32 bits of the folio flag word. */
export function folioFlagLetters(flags: number): string {
  let letters = "";
  for (const [letter, bit] of FOLIO_FLAG_LETTERS) {
    if (((flags >>> bit) & 1) !== 0) letters += letter;
  }
  return letters;
}

/**
 * The flags behind the letters of a dump.
 *
 * @throws SyntaxError naming a letter that stands for no flag
 */
export function folioFlagsOf(letters: string): number {
  let flags = 0;
  for (const letter of letters) {
    const entry = FOLIO_FLAG_LETTERS.find(([known]) => known === letter);
    if (entry === undefined) {
      const known = FOLIO_FLAG_LETTERS.map(([char]) => char).join("");
      throw new SyntaxError(`found flag ${JSON.stringify(letter)}, expected one of ${known}`);
    }
    flags |= 1 << entry[1];
  }
  return flags;
}
