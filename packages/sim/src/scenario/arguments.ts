import { SCENARIO_LIMITS } from "./limits.ts";
import { NUMBER_FORM, parseNumber } from "./number.ts";
import { quoteWord, ScenarioError } from "./scenario-error.ts";

/** Letters first, so that a name is never read as a number nor reorders the keys of a dump. */
const NAME = /^[A-Za-z][A-Za-z0-9_.-]*$/;

/** The words behind a command, taken one by one; whatever is wrong throws a `ScenarioError`. */
export class CommandArguments {
  readonly #fileName: string;
  readonly #line: number;
  readonly #words: readonly string[];
  readonly #usage: string;
  #at = 0;

  /** @param usage the command's form, shown when a word is missing or left over */
  constructor(fileName: string, line: number, words: readonly string[], usage: string) {
    this.#fileName = fileName;
    this.#line = line;
    this.#words = words;
    this.#usage = usage;
  }

  /** Throws: the line has `found` where `expected` should be. */
  fail(found: string, expected: string): never {
    throw new ScenarioError(this.#fileName, this.#line, found, expected);
  }

  /** Any next word. */
  word(): string {
    const word = this.#words[this.#at];
    if (word === undefined) {
      const given = this.#words.length;
      const found = given === 1 ? "1 argument" : `${given} arguments`;
      this.fail(given === 0 ? "no argument" : found, this.#usage);
    }
    this.#at++;
    return word;
  }

  /** The next word if there is one, else null. */
  optionalWord(): string | null {
    return this.#at < this.#words.length ? this.word() : null;
  }

  /** As `optionalWord`, but a remark from `#` on is no option: the guest ignores it. */
  option(): string | null {
    return this.#words[this.#at]?.startsWith("#") === true ? null : this.optionalWord();
  }

  /** The name of a region, file or worker that the line creates or uses. */
  name(what: string): string {
    const word = this.word();
    const max = SCENARIO_LIMITS.nameLengthMax;
    if (!NAME.test(word) || word.length > max) {
      this.fail(
        `${what} ${quoteWord(word)}`,
        `a letter and then at most ${max - 1} letters, digits, "_", "." or "-"`,
      );
    }
    return word;
  }

  /** The path of a memcg below the root: names with a slash between them. */
  memcg(): string {
    const word = this.word();
    const names = word.split("/");
    const max = SCENARIO_LIMITS.memcgPathMax;
    if (word.length > max || !names.every((name) => NAME.test(name))) {
      const form = `names with "/" between them, at most ${max} characters`;
      this.fail(`memcg ${quoteWord(word)}`, form);
    }
    return word;
  }

  /** A number from `min` to `max`. */
  number(what: string, min: number, max: number): number {
    const word = this.word();
    const value = parseNumber(word);
    if (value === null) this.fail(`${what} ${quoteWord(word)}`, NUMBER_FORM);
    if (value < min || value > max) this.fail(`${what} ${word}`, `${min} to ${max}`);
    return value;
  }

  /** As `number`, or `fallback` at the end of the line. */
  optionalNumber(what: string, min: number, max: number, fallback: number): number {
    return this.#at < this.#words.length ? this.number(what, min, max) : fallback;
  }

  /** One of `choices`. */
  choice<T extends string>(what: string, choices: readonly T[]): T {
    const word = this.word();
    const choice = choices.find((candidate) => candidate === word);
    if (choice === undefined) this.fail(`${what} ${quoteWord(word)}`, choices.join(", "));
    return choice;
  }

  /** The line must end here; only a remark from `#` on may follow, as the guest ignores it. */
  end(): void {
    const word = this.#words[this.#at];
    if (word !== undefined && !word.startsWith("#")) {
      this.fail(`${quoteWord(word)} too much`, this.#usage);
    }
  }
}
