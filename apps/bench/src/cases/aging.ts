import { AnonMachine, SERIES, STOCK } from "../anon-machine.ts";
import { type BenchCase, inLaps, TIMED, USUAL_PAGES } from "../bench-case.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Agings until every folio has come to the oldest generation, where it stays. */
const SETTLING = 6;
/** Agings of one machine in a repetition. */
const AGINGS = 16;
/** Laps of a repetition where a lap is an aging of the large machine, or takes as long. */
const LONG_LAPS = 3;
/** Folios of the large machine for each of the small one: 16 GiB and 512 MiB. */
const GROWTH = 32;

/** A filled machine in the steady state: each aging walks every PTE and moves every folio once. */
function steadyMachine(features: string, pages: number): AnonMachine {
  const machine = AnonMachine.filled(features, pages);
  for (let i = 0; i < SETTLING; i++) machine.age();
  return machine;
}

/** One lap of so many agings. */
function age(machine: AnonMachine, agings: number, watch: Stopwatch): void {
  const before = machine.moved;
  const folios = agings * machine.pages;
  watch.start();
  for (let i = 0; i < agings; i++) machine.age();
  watch.stop(folios);
  if (machine.moved - before !== folios) throw new Error("an aging did not move every folio");
}

function steady(name: string, features: string, which: string): BenchCase {
  return {
    name,
    what: `steady-state aging, ${which}: forced walk of old PTEs, inc_min_seq() of every folio`,
    metrics: [{ label: "", unit: "ns/folio" }],
    pages: USUAL_PAGES,
    ...TIMED,
    boot(pages, watch) {
      const machines = [steadyMachine(features, pages), steadyMachine(features, pages)];
      return inLaps(watch, machines, (machine) => {
        for (let i = 0; i < AGINGS; i++) age(machine, 1, watch);
      });
    },
  };
}

function growth(name: string, features: string, which: string): BenchCase {
  return {
    name,
    what: `steady-state aging, ${which}, of a machine and of one 32 times as large in turn`,
    metrics: [
      { label: "131,072 folios", unit: "ns/folio" },
      { label: "4,194,304 folios", unit: "ns/folio" },
    ],
    pages: USUAL_PAGES * GROWTH,
    ...TIMED,
    boot(pages, watch) {
      const large = steadyMachine(features, pages);
      const small = steadyMachine(features, pages / GROWTH);
      // Laps of one length, so that a busy machine slows both figures alike.
      const ofSmall = inLaps(watch, [small], (machine) => {
        for (let i = 0; i < LONG_LAPS; i++) age(machine, GROWTH, watch);
      });
      const ofLarge = inLaps(watch, [large], (machine) => {
        for (let i = 0; i < LONG_LAPS; i++) age(machine, 1, watch);
      });
      return () => [...ofSmall(), ...ofLarge()];
    },
  };
}

export const AGING_CASES: readonly BenchCase[] = [
  steady("aging/steady/stock", STOCK, "Linux 7.3"),
  steady("aging/steady/series", SERIES, "with series inc-min-seq"),
  growth("aging/growth/stock", STOCK, "Linux 7.3"),
  growth("aging/growth/series", SERIES, "with series inc-min-seq"),
];
