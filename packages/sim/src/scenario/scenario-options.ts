import { parseMemorySize } from "./number.ts";
import { quoteWord, ScenarioError } from "./scenario-error.ts";
import type { ScenarioOptions } from "./scenario.ts";

/** The model's memory is made of whole buddy blocks; an entry of a page table can name 256 GiB. */
const MEM_STEP = 4 * 2 ** 20;
const MEM_MAX = 256 * 2 ** 30;

const GIB = 1073741824;
/** CPUs of one model; the guest kernel is built for 8192, QEMU's machine stops at 255. */
const SMP_MAX = 255;

/** Collects `#!` lines; of a key given twice the last value counts, as in the guest's launcher. */
export class ScenarioOptionsBuilder {
  readonly all: Map<string, string> = new Map();
  smp = 1;
  memBytes: number = GIB;

  finish(): ScenarioOptions {
    return { smp: this.smp, memBytes: this.memBytes, all: this.all };
  }
}

/**
 * Reads one `#! key=value …` line into `options`.
 *
 * @throws ScenarioError for a word that is no `key=value`, and for a bad `smp` or `mem`
 */
export function parseOptionLine(
  text: string,
  line: number,
  fileName: string,
  options: ScenarioOptionsBuilder,
): void {
  for (const word of text.slice(2).trim().split(/\s+/)) {
    if (word === "") continue;
    const [, key, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(word) ?? [];
    if (key === undefined || value === undefined) {
      throw new ScenarioError(fileName, line, `option ${quoteWord(word)}`, "#! key=value");
    }
    options.all.set(key, value);
    if (key === "smp") {
      const smp = /^[0-9]{1,3}$/.test(value) ? Number.parseInt(value, 10) : 0;
      if (smp < 1 || smp > SMP_MAX) {
        const expected = `a number of CPUs, 1 to ${SMP_MAX}`;
        throw new ScenarioError(fileName, line, `smp ${quoteWord(value)}`, expected);
      }
      options.smp = smp;
    } else if (key === "mem") {
      const bytes = parseMemorySize(value);
      if (bytes === null || bytes % MEM_STEP !== 0 || bytes > MEM_MAX) {
        const expected = "a memory size in steps of 4M, 4M to 256G";
        throw new ScenarioError(fileName, line, `mem ${quoteWord(value)}`, expected);
      }
      options.memBytes = bytes;
    }
  }
}
