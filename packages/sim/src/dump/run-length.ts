/**
 * Run-length coding of the `pte` and `lru` strings: each run of a character is the character and
 * its length in decimal, `Y40.24`. Digits cannot be coded.
 */
export class RunLengthEncoder {
  #text = "";
  #char = "";
  #count = 0;

  /** Appends `count` times `char`. */
  push(char: string, count = 1): void {
    if (count === 0) return;
    if (char !== this.#char) {
      this.#flush();
      this.#char = char;
    }
    this.#count += count;
  }

  /** The coded string; the encoder is empty afterwards. */
  finish(): string {
    this.#flush();
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #flush(): void {
    if (this.#count > 0) this.#text += this.#char + this.#count;
    this.#count = 0;
  }
}

/** Codes a string of one character per page. */
export function encodeRunLengths(text: string): string {
  const encoder = new RunLengthEncoder();
  for (const char of text) encoder.push(char);
  return encoder.finish();
}

const RUN = /([^0-9])([1-9][0-9]*)/uy;

/**
 * The string behind a coded one.
 *
 * @throws SyntaxError naming the offset where `coded` is no run
 */
export function decodeRunLengths(coded: string): string {
  let text = "";
  for (let at = 0; at < coded.length; at = RUN.lastIndex) {
    RUN.lastIndex = at;
    const run = RUN.exec(coded);
    if (run === null) {
      const found = JSON.stringify(coded.slice(at, at + 20));
      throw new SyntaxError(`offset ${at}: found ${found}, expected a character and its count`);
    }
    text += (run[1] as string).repeat(Number(run[2]));
  }
  return text;
}
