import type { OracleResult, OracleStep } from "../dump/oracle-result.ts";
import type { Difference } from "./difference.ts";
import { FREE_FIELDS } from "./free-fields.ts";
import { comparableLines } from "./free-text.ts";
import { StepTracker, type StepContext } from "./step-context.ts";

type JsonRecord = Readonly<Record<string, unknown>>;

const TEXT_KEYS: ReadonlySet<string> = new Set(["lru_gen", "lru_gen_full", "text"]);
const COUNTER_KEYS: ReadonlySet<string> = new Set(["memory.events", "vmstat_delta", "memory.stat"]);
/** Free field 3 is the kernel's banner; the steps are compared one by one. */
const NOT_HEAD_KEYS: ReadonlySet<string> = new Set(["kernel", "steps"]);

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The typed document as the plain JSON it is. */
function asRecord(value: OracleResult | OracleStep): JsonRecord {
  return value as unknown as JsonRecord;
}

/** Keys of both, the kernel's first and in its order. */
function keysOf(expected: JsonRecord, actual: JsonRecord): Iterable<string> {
  return new Set([...Object.keys(expected), ...Object.keys(actual)]);
}

/** Own properties only, so that a region called `constructor` is looked up as itself. */
function at(record: JsonRecord, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** An array of numbers and the like reads best whole; of strings, line by line. */
function isCompact(value: readonly unknown[]): boolean {
  return (
    value.some((element) => typeof element !== "string") &&
    value.every((element) => typeof element !== "object" || element === null)
  );
}

/** Compares one step; places are given by the keys that lead to them. */
class StepComparison {
  readonly #where: string;
  readonly #context: StepContext;

  constructor(where: string, context: StepContext) {
    this.#where = where;
    this.#context = context;
  }

  step(expected: OracleStep, actual: OracleStep): Difference | null {
    const wanted = asRecord(expected);
    const got = asRecord(actual);
    for (const key of keysOf(wanted, got)) {
      const difference = TEXT_KEYS.has(key)
        ? this.#text(key, at(wanted, key), at(got, key))
        : this.#value([key], at(wanted, key), at(got, key));
      if (difference !== null) return difference;
    }
    return null;
  }

  #difference(path: readonly string[], expected: unknown, actual: unknown): Difference {
    const inside = path[0] === "dump" && path.length > 1 ? path.slice(1) : path;
    return { path: `${this.#where} /${inside.join("/")}`, expected, actual };
  }

  #text(key: string, expected: unknown, actual: unknown): Difference | null {
    if (!Array.isArray(expected) || !Array.isArray(actual)) {
      return this.#value([key], expected, actual);
    }
    const wanted = comparableLines(key, this.#context.cmd, expected as string[]);
    const got = comparableLines(key, this.#context.cmd, actual as string[]);
    for (let i = 0; i < Math.max(wanted.length, got.length); i++) {
      const one = wanted[i];
      const other = got[i];
      if (one?.text === other?.text) continue;
      const place = String(one?.at ?? other?.at ?? i);
      const raw = one === undefined ? undefined : (expected[one.at] as unknown);
      const rawActual = other === undefined ? undefined : (actual[other.at] as unknown);
      return this.#difference([key, place], raw, rawActual);
    }
    return null;
  }

  #value(path: readonly string[], expected: unknown, actual: unknown): Difference | null {
    if (expected === actual) return null;
    if (isRecord(expected) && isRecord(actual)) {
      return this.#record(path, expected, actual, COUNTER_KEYS.has(path.at(-1) as string));
    }
    if (Array.isArray(expected) && Array.isArray(actual)) {
      return this.#array(path, expected, actual);
    }
    if (typeof expected === "number" && typeof actual === "number") {
      const context = this.#context;
      if (FREE_FIELDS.some((field) => field.frees({ path, expected, actual, context })))
        return null;
    }
    return this.#difference(path, expected, actual);
  }

  /** A counter that is not there is 0: zero counters are not printed. */
  #record(
    path: readonly string[],
    expected: JsonRecord,
    actual: JsonRecord,
    counters: boolean,
  ): Difference | null {
    const missing = counters ? 0 : undefined;
    for (const key of keysOf(expected, actual)) {
      const wanted = at(expected, key);
      const got = at(actual, key);
      const place = [...path, key];
      const difference = this.#value(
        place,
        wanted === undefined ? missing : wanted,
        got === undefined ? missing : got,
      );
      if (difference === null) continue;
      // A counter that one side leaves out is shown as left out.
      return wanted === undefined || got === undefined
        ? this.#difference(place, wanted, got)
        : difference;
    }
    return null;
  }

  #array(
    path: readonly string[],
    expected: readonly unknown[],
    actual: readonly unknown[],
  ): Difference | null {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
      const difference = this.#value([...path, String(i)], expected[i], actual[i]);
      if (difference === null) continue;
      const whole = isCompact(expected) && isCompact(actual);
      return whole ? this.#difference(path, expected, actual) : difference;
    }
    return null;
  }
}

/** The scenario's name without folder and extension. */
function baseName(scenarioName: string): string {
  return scenarioName.replace(/^.*[/\\]/, "").replace(/\.(?:txt|json)$/, "");
}

/** Compares what stands before the steps: numbers, and the record `layout` of numbers. */
function compareHead(expected: JsonRecord, actual: JsonRecord, path: string): Difference | null {
  for (const key of keysOf(expected, actual)) {
    if (path === "" && NOT_HEAD_KEYS.has(key)) continue;
    const wanted = at(expected, key);
    const got = at(actual, key);
    if (wanted === got) continue;
    const place = `${path}/${key}`;
    const difference =
      isRecord(wanted) && isRecord(got)
        ? compareHead(wanted, got, place)
        : { path: place, expected: wanted, actual: got };
    if (difference !== null) return difference;
  }
  return null;
}

/**
 * The first difference between what the kernel printed and what the model gives, or null.
 *
 * The whole document counts, except the free fields: ages (`withoutAge`), the memcg number
 * (`withoutMemcgId`), the banner, the root memcg's record (`withoutRootRecord`) and the rules in
 * `FREE_FIELDS`. Key order does not count; a counter left out equals 0.
 *
 * @param scenarioName its file name or stem; two scenarios have a rule of their own
 */
export function compareOracle(
  expected: OracleResult,
  actual: OracleResult,
  scenarioName: string,
): Difference | null {
  const head = compareHead(asRecord(expected), asRecord(actual), "");
  if (head !== null) return head;
  const tracker = new StepTracker(baseName(scenarioName));
  for (let i = 0; i < Math.max(expected.steps.length, actual.steps.length); i++) {
    const wanted = expected.steps[i];
    const got = actual.steps[i];
    const where = `steps[${i}] ${JSON.stringify((wanted ?? got)?.cmd)}`;
    if (wanted === undefined || got === undefined) {
      return { path: where, expected: wanted, actual: got };
    }
    const difference = new StepComparison(where, tracker.next(wanted)).step(wanted, got);
    if (difference !== null) return difference;
  }
  return null;
}
