import { AnonMachine, SERIES, STOCK } from "../anon-machine.ts";
import { type BenchCase, inLaps, TIMED, USUAL_PAGES } from "../bench-case.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Calls until every folio has come to the oldest generation, where it stays. */
const SETTLING = 6;
/** Calls on one machine in a repetition. */
const CALLS = 32;

function settledMachine(features: string, pages: number): AnonMachine {
  const machine = AnonMachine.filled(features, pages);
  for (let i = 0; i < SETTLING; i++) machine.incMaxSeq();
  return machine;
}

/** One lap: one call. */
function incMaxSeq(machine: AnonMachine, watch: Stopwatch): void {
  const before = machine.moved;
  watch.start();
  machine.incMaxSeq();
  watch.stop(machine.pages);
  if (machine.moved - before !== machine.pages) throw new Error("a folio was not moved");
}

function incMinSeq(name: string, features: string, which: string): BenchCase {
  return {
    name,
    what: `inc_max_seq() without a walk, ${which}: inc_min_seq() of every folio, none promoted`,
    metrics: [{ label: "", unit: "ns/folio" }],
    pages: USUAL_PAGES,
    ...TIMED,
    boot(pages, watch) {
      const machines = [settledMachine(features, pages), settledMachine(features, pages)];
      return inLaps(watch, machines, (machine) => {
        for (let i = 0; i < CALLS; i++) incMaxSeq(machine, watch);
      });
    },
  };
}

export const INC_MIN_SEQ_CASES: readonly BenchCase[] = [
  incMinSeq("incMinSeq/stock", STOCK, "Linux 7.3"),
  incMinSeq("incMinSeq/series", SERIES, "with series inc-min-seq"),
];
