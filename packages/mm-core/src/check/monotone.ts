import { MAX_NR_GENS } from "../lru/lru-gen-folio.ts";
import type { Lruvec } from "../lru/lruvec.ts";
import type { Memory } from "../memory/memory.ts";
import { VMSTAT_ITEMS } from "../stat/vmstat-items.ts";
import type { VmStat } from "../stat/vmstat.ts";
import { lruvecName, lruvecsOf } from "./lru-list.ts";
import type { CheckOptions } from "./lruvecs.ts";

/** Kept among the events, but they go down as well (PGC-07). */
const GAUGES: ReadonlySet<string> = new Set(["workingset_nodes"]);

const SEQUENCES: readonly string[] = [
  "max_seq",
  "min_seq of anon",
  "min_seq of file",
  "mm_state.seq",
];

/**
 * What never goes backwards, compared from one sample to the next: sequence numbers of every lruvec
 * (MINV-09, INV-29) and event counters of the machine and of every memcg (INV-29). Each sample by
 * itself must satisfy MINV-10 and MINV-14.
 *
 * A memcg or lruvec that is new in a sample is compared from then on. MINV-09's "by exactly 1" is a
 * statement about single agings, which samples do not see.
 */
export class MonotoneChecker {
  private readonly samples = new WeakMap<object, Float64Array>();

  /**
   * Looks at the machine and remembers what it saw.
   * @returns one line for each violation: rule, lruvec or scope, what was found, what was expected
   */
  sample(memory: Memory, options: CheckOptions = {}): string[] {
    const violations: string[] = [];
    for (const lruvec of lruvecsOf(memory)) {
      const subject = lruvecName(lruvec);
      const { maxSeq, minSeq } = lruvec.lrugen;
      const now = Float64Array.of(maxSeq, ...minSeq, lruvec.mmState.seq);
      for (const line of this.compare(lruvec, now, SEQUENCES)) {
        violations.push(`MINV-09 (INV-29): ${subject}: ${line}`);
      }
      violations.push(...walkSequence(lruvec, options.quiescent ?? false), ...timestamps(lruvec));
    }
    violations.push(...this.events("vmstat", memory.vmstat));
    for (const memcg of memory.memcgs) {
      if (memcg !== null) violations.push(...this.events(`memcg ${memcg.path}`, memcg.vmstat));
    }
    return violations;
  }

  private events(scope: string, vmstat: VmStat): string[] {
    const lines = this.compare(vmstat, vmstat.values.slice(), VMSTAT_ITEMS);
    return lines.map((line) => `INV-29: ${scope}: ${line}`);
  }

  private compare(subject: object, now: Float64Array, names: readonly string[]): string[] {
    const before = this.samples.get(subject);
    this.samples.set(subject, now);
    if (before === undefined) return [];
    return names.flatMap((name, i) => {
      const least = before[i] as number;
      const value = now[i] as number;
      if (value >= least || GAUGES.has(name)) return [];
      return [`${name} is ${value}, expected at least ${least}`];
    });
  }
}

/** MINV-10: the list iteration of the youngest generation is finished only while it is made. */
function walkSequence(lruvec: Lruvec, quiescent: boolean): string[] {
  const { seq } = lruvec.mmState;
  const { maxSeq } = lruvec.lrugen;
  if (seq === maxSeq - 1 || (seq === maxSeq && !quiescent)) return [];
  const expected = quiescent ? `${maxSeq - 1}` : `${maxSeq - 1} or ${maxSeq}`;
  return [`MINV-10: ${lruvecName(lruvec)}: mm_state.seq is ${seq}, expected ${expected}`];
}

/** MINV-14: generations that exist were born in the order of their sequence numbers. */
function timestamps(lruvec: Lruvec): string[] {
  const { maxSeq, minSeq, timestamps: births } = lruvec.lrugen;
  const violations: string[] = [];
  const oldest = Math.max(Math.min(...minSeq), maxSeq - MAX_NR_GENS + 1);
  for (let seq = oldest; seq < maxSeq; seq++) {
    const older = births[seq % MAX_NR_GENS] as number;
    const younger = births[(seq + 1) % MAX_NR_GENS] as number;
    if (younger >= older) continue;
    const what = `generation ${seq + 1} was born at jiffy ${younger}`;
    violations.push(`MINV-14: ${lruvecName(lruvec)}: ${what}, expected ${older} or later`);
  }
  return violations;
}
