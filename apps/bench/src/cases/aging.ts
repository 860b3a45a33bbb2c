import { AnonMachine, SERIES, STOCK } from "../anon-machine.ts";
import { type BenchCase, perElement, TIMED, USUAL_PAGES } from "../bench-case.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Agings until every folio has come to the oldest generation, where it stays. */
const SETTLING = 6;
/** Agings of one machine in a repetition. */
const AGINGS = 16;
/** Folios of the large machine for each of the small one: 16 GiB and 512 MiB. */
const GROWTH = 32;

/** A filled machine in the steady state: each aging walks every PTE and moves every folio once. */
function steadyMachine(features: string, pages: number): AnonMachine {
  const machine = AnonMachine.filled(features, pages);
  for (let i = 0; i < SETTLING; i++) machine.age();
  return machine;
}

/** Times agings. @returns folios aged, each once an aging */
function age(machine: AnonMachine, agings: number, watch: Stopwatch): number {
  const before = machine.moved;
  watch.start();
  for (let i = 0; i < agings; i++) machine.age();
  watch.stop();
  const folios = agings * machine.pages;
  if (machine.moved - before !== folios) throw new Error("an aging did not move every folio");
  return folios;
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
      return perElement(watch, machines, (machine) => age(machine, AGINGS, watch));
    },
  };
}

function growth(name: string, features: string, which: string): BenchCase {
  return {
    name,
    what: `the same, ${which}, on a small and a large machine in turn`,
    metrics: [
      { label: "131,072 folios", unit: "ns/folio" },
      { label: "4,194,304 folios", unit: "ns/folio" },
    ],
    pages: USUAL_PAGES * GROWTH,
    ...TIMED,
    boot(pages, watch) {
      const large = steadyMachine(features, pages);
      const small = steadyMachine(features, pages / GROWTH);
      const ofSmall = perElement(watch, [small], (machine) => age(machine, AGINGS * 2, watch));
      const ofLarge = perElement(watch, [large], (machine) => age(machine, 1, watch));
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
