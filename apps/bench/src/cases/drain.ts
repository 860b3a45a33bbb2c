import { ENTRY_SHIFT } from "@lrugen/mm-core";
import { AnonMachine, STOCK } from "../anon-machine.ts";
import { type BenchCase, inLaps, TIMED, USUAL_PAGES } from "../bench-case.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Passes over one machine in a repetition. */
const PASSES = 4;
/** Folios of a lap. */
const LAP = 8192;

/** Every folio of a machine, in address order. */
function foliosOf(machine: AnonMachine): Int32Array {
  const { pageTables } = machine.system.memory;
  return Int32Array.from({ length: machine.pages }, (_, page) => {
    const slot = pageTables.pteSlot(machine.mm.pgd, machine.first + page);
    return (pageTables.entries[slot] ?? 0) >>> ENTRY_SHIFT;
  });
}

/** Queues folios [from, to) of a list; what waits at the end is drained too. */
function activate(machine: AnonMachine, folios: Int32Array, from: number, to: number): void {
  const { batches } = machine.system;
  const { cpu } = machine;
  for (let i = from; i < to; i++) batches.activate(cpu, folios[i] ?? 0);
  machine.drain();
}

/** Activates every folio, in laps. */
function activateAll(machine: AnonMachine, folios: Int32Array, watch: Stopwatch): void {
  for (let from = 0; from < folios.length; from += LAP) {
    const to = Math.min(from + LAP, folios.length);
    watch.start();
    activate(machine, folios, from, to);
    watch.stop(to - from);
  }
}

export const DRAIN_CASES: readonly BenchCase[] = [
  {
    name: "drain",
    what: "folio_activate() of a listed folio: queue it, and its share of a drain of 31",
    metrics: [{ label: "", unit: "ns/folio" }],
    pages: USUAL_PAGES,
    ...TIMED,
    boot(pages, watch) {
      const instances = [0, 1].map(() => {
        const machine = AnonMachine.filled(STOCK, pages);
        return { machine, folios: foliosOf(machine) };
      });
      return inLaps(watch, instances, ({ machine, folios }) => {
        for (let i = 0; i < PASSES; i++) activateAll(machine, folios, watch);
      });
    },
  },
];
