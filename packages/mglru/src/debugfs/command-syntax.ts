/** Largest u64; a longer number stays there. */
const U64_MAX = 0xffff_ffff_ffff_ffffn;
/** Longest swappiness token; what follows belongs to the next number (CMD-03, CMD-04). */
const MAX_TOKEN = 4;

/** isspace(): the six ASCII blanks; a token is everything else. */
const BLANK = /[\t-\r ]/;
const NOT_BLANK = /[^\t-\r ]/;
const LEADING_BLANKS = /^[\t-\r ]+/;

/** One command of the debugfs file, as far as its syntax goes. */
export interface LruGenCommand {
  /** `+`, `-`, or whatever stood there. */
  readonly verb: string;
  readonly memcgId: bigint;
  /** Already cut to 32 bits. */
  readonly node: number;
  readonly seq: bigint;
  /** The swappiness word, null when omitted. */
  readonly swappiness: string | null;
  /** force_scan or nr_to_reclaim; all ones when omitted (CMD-05). */
  readonly option: bigint;
}

/** Reads the fields of a command from left to right, as the kernel's scanf does. */
class Scanner {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get atEnd(): boolean {
    return this.at === this.text.length;
  }

  skipBlanks(): void {
    while (BLANK.test(this.text[this.at] ?? "")) this.at += 1;
  }

  char(): string {
    return this.text[this.at++] ?? "";
  }

  /** A decimal u64 after blanks, no sign; null when there is no digit. */
  u64(): bigint | null {
    this.skipBlanks();
    const start = this.at;
    while (/[0-9]/.test(this.text[this.at] ?? "")) this.at += 1;
    if (start === this.at) return null;
    const value = BigInt(this.text.slice(start, this.at));
    return value > U64_MAX ? U64_MAX : value;
  }

  /** Up to MAX_TOKEN characters that are not blank; null at the end. */
  token(): string | null {
    this.skipBlanks();
    const start = this.at;
    while (this.at < start + MAX_TOKEN && NOT_BLANK.test(this.text[this.at] ?? "")) this.at += 1;
    return start === this.at ? null : this.text.slice(start, this.at);
  }
}

/**
 * Splits one write into its commands: at commas, semicolons and newlines; blank pieces vanish.
 * Source: CMD-02; mm/vmscan.c:lru_gen_seq_write.
 */
export function splitCommands(text: string): string[] {
  return text
    .split(/[,;\n]/)
    .map((piece) => piece.replace(LEADING_BLANKS, ""))
    .filter((piece) => piece.length > 0);
}

/**
 * Parses `+|- memcg_id node_id seq [swappiness [option]]`.
 * @param text one command without leading blanks
 * @returns null when a field is missing or something is left over (CMD-01, CMD-03)
 */
export function parseCommand(text: string): LruGenCommand | null {
  const scanner = new Scanner(text);
  const verb = scanner.char();
  const memcgId = scanner.u64();
  const node = scanner.u64();
  const seq = scanner.u64();
  if (memcgId === null || node === null || seq === null) return null;
  const command = { verb, memcgId, node: Number(BigInt.asUintN(32, node)), seq };
  const swappiness = scanner.token();
  if (swappiness === null) return { ...command, swappiness, option: U64_MAX };
  scanner.skipBlanks();
  if (scanner.atEnd) return { ...command, swappiness, option: U64_MAX };
  const option = scanner.u64();
  scanner.skipBlanks();
  return option === null || !scanner.atEnd ? null : { ...command, swappiness, option };
}
