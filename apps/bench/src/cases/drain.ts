import { ENTRY_SHIFT } from "@lrugen/mm-core";
import { AnonMachine, STOCK } from "../anon-machine.ts";
import { type BenchCase, perElement, TIMED, USUAL_PAGES } from "../bench-case.ts";

/** Passes over one machine in a repetition. */
const PASSES = 4;

/** Every folio of a machine, in address order. */
function foliosOf(machine: AnonMachine): Int32Array {
  const { pageTables } = machine.system.memory;
  return Int32Array.from({ length: machine.pages }, (_, page) => {
    const slot = pageTables.pteSlot(machine.mm.pgd, machine.first + page);
    return (pageTables.entries[slot] ?? 0) >>> ENTRY_SHIFT;
  });
}

/** Queues every folio. */
function activateAll(machine: AnonMachine, folios: Int32Array): void {
  const { batches } = machine.system;
  const { cpu } = machine;
  for (let i = 0; i < folios.length; i++) batches.activate(cpu, folios[i] ?? 0);
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
      return perElement(watch, instances, ({ machine, folios }) => {
        watch.start();
        for (let i = 0; i < PASSES; i++) activateAll(machine, folios);
        machine.drain();
        watch.stop();
        return PASSES * folios.length;
      });
    },
  },
];
