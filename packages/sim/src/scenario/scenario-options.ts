import { SCENARIO_LIMITS } from "./limits.ts";
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
  movableBytes = 0;
  numa = 1;

  finish(): ScenarioOptions {
    const { smp, memBytes, movableBytes, numa, all } = this;
    return { smp, memBytes, movableBytes, numa, all };
  }
}

/**
 * Reads one `#! key=value …` line into `options`.
 *
 * @throws ScenarioError for a word that is no `key=value`, an unknown key, and a bad value
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
    const reader = OPTIONS.get(key);
    if (reader === undefined) {
      const expected = [...OPTIONS.keys()].join(", ");
      throw new ScenarioError(fileName, line, `option ${quoteWord(key)}`, expected);
    }
    options.all.set(key, value);
    const problem = reader(value, options);
    if (problem === null) continue;
    throw new ScenarioError(
      fileName,
      line,
      `${problem.what} ${quoteWord(value)}`,
      problem.expected,
    );
  }
}

interface OptionProblem {
  readonly what: string;
  readonly expected: string;
}

type OptionReader = (value: string, options: ScenarioOptionsBuilder) => OptionProblem | null;

const ignore: OptionReader = () => null;

/** Keys that the model honours. */
const READERS: Readonly<Record<string, OptionReader>> = {
  smp(value, options) {
    const smp = /^[0-9]{1,3}$/.test(value) ? Number.parseInt(value, 10) : 0;
    if (smp < 1 || smp > SMP_MAX) {
      return { what: "smp", expected: `a number of CPUs, 1 to ${SMP_MAX}` };
    }
    options.smp = smp;
    return null;
  },
  mem(value, options) {
    const bytes = parseMemorySize(value);
    if (bytes === null || bytes % MEM_STEP !== 0 || bytes > MEM_MAX) {
      return { what: "mem", expected: "a memory size in steps of 4M, 4M to 256G" };
    }
    options.memBytes = bytes;
    return null;
  },
  /** Of the kernel's boot options the model knows movablecore=SIZE. */
  append(value, options) {
    const size = /^movablecore=(.*)$/.exec(value)?.[1];
    if (size === undefined) return null;
    const bytes = parseMemorySize(size);
    if (bytes === null || bytes % MEM_STEP !== 0) {
      return { what: "append", expected: "movablecore= with a memory size in steps of 4M" };
    }
    options.movableBytes = bytes;
    return null;
  },
  numa(value, options) {
    const nodes = /^[0-9]$/.test(value) ? Number.parseInt(value, 10) : 0;
    if (nodes < 1 || nodes > SCENARIO_LIMITS.nodesMax) {
      return { what: "numa", expected: `a number of nodes, 1 to ${SCENARIO_LIMITS.nodesMax}` };
    }
    options.numa = nodes;
    return null;
  },
};

/** Every key that the launcher of the real guest knows. */
const OPTIONS: ReadonlyMap<string, OptionReader> = new Map([
  ...Object.entries(READERS),
  ...["cpu", "timeout", "modules", "extra_modules", "icount"].map((key): [string, OptionReader] => [
    key,
    ignore,
  ]),
]);
