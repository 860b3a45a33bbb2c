import { AnonMachine, SERIES, STOCK } from "../anon-machine.ts";
import { type BenchCase, perElement, TIMED, USUAL_PAGES } from "../bench-case.ts";

/** Calls until every folio has come to the oldest generation, where it stays. */
const SETTLING = 6;
/** Calls on one machine in a repetition. */
const CALLS = 32;

function settledMachine(features: string, pages: number): AnonMachine {
  const machine = AnonMachine.filled(features, pages);
  for (let i = 0; i < SETTLING; i++) machine.incMaxSeq();
  return machine;
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
      return perElement(watch, machines, (machine) => {
        const before = machine.moved;
        watch.start();
        for (let i = 0; i < CALLS; i++) machine.incMaxSeq();
        watch.stop();
        const folios = CALLS * machine.pages;
        if (machine.moved - before !== folios) throw new Error("a folio was not moved");
        return folios;
      });
    },
  };
}

export const INC_MIN_SEQ_CASES: readonly BenchCase[] = [
  incMinSeq("incMinSeq/stock", STOCK, "Linux 7.3"),
  incMinSeq("incMinSeq/series", SERIES, "with series inc-min-seq"),
];
