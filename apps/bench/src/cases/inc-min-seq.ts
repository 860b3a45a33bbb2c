import { GenerationLists, IncMinSeq, incMinSeqFeatures } from "@lrugen/mglru";
import { LRU_ANON } from "@lrugen/mm-core";
import { AnonMachine, SERIES, STOCK, SWAPPINESS } from "../anon-machine.ts";
import { type BenchCase, inLaps, TIMED, USUAL_PAGES } from "../bench-case.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Generations opened until every folio has come to the oldest one, where it stays. */
const SETTLING = 6;
/** Passes over every folio of one machine in a repetition. */
const PASSES = 16;

/** A filled machine with an inc_min_seq() that can be called alone. */
class OldestMachine {
  private readonly machine: AnonMachine;
  private readonly oldest: IncMinSeq;

  constructor(features: string, pages: number) {
    this.machine = AnonMachine.filled(features, pages);
    const { memory, features: set } = this.machine.system;
    this.oldest = new IncMinSeq(
      memory,
      new GenerationLists(memory),
      incMinSeqFeatures((name) => set.isOn(name)),
    );
    for (let i = 0; i < SETTLING; i++) this.machine.incMaxSeq();
  }

  /** Moves every folio to the second oldest generation; one lap is one lock hold, 4,096 folios. */
  pass(watch: Stopwatch): void {
    const { machine, oldest } = this;
    const { cpu, lruvec } = machine;
    const before = oldest.moved;
    for (let done = false; !done;) {
      const { moved } = oldest;
      cpu.acquire(lruvec.lock);
      watch.start();
      done = oldest.incMinSeq(cpu, lruvec, LRU_ANON, SWAPPINESS);
      // The last call only finds the list empty.
      if (oldest.moved > moved) watch.stop(oldest.moved - moved);
      cpu.release(lruvec.lock);
    }
    if (oldest.moved - before !== machine.pages) throw new Error("a folio was not moved");
    machine.incMaxSeq();
  }
}

function incMinSeq(name: string, features: string, which: string): BenchCase {
  return {
    name,
    what: `inc_min_seq() alone, ${which}: every folio moves, none was promoted`,
    metrics: [{ label: "", unit: "ns/folio" }],
    pages: USUAL_PAGES,
    ...TIMED,
    boot(pages, watch) {
      const machines = [new OldestMachine(features, pages), new OldestMachine(features, pages)];
      return inLaps(watch, machines, (machine) => {
        for (let i = 0; i < PASSES; i++) machine.pass(watch);
      });
    },
  };
}

export const INC_MIN_SEQ_CASES: readonly BenchCase[] = [
  incMinSeq("incMinSeq/stock", STOCK, "Linux 7.3"),
  incMinSeq("incMinSeq/series", SERIES, "with series inc-min-seq"),
];
