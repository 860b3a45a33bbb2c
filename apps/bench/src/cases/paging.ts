import { Task } from "@lrugen/mm-core";
import { AnonMachine, STOCK } from "../anon-machine.ts";
import { type BenchCase, inLaps, TIMED, USUAL_PAGES } from "../bench-case.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Pages of a folio that one PMD entry maps. */
const HUGE_PAGES = 512;
/** Passes over one machine in a repetition. */
const PASSES = 4;

/** Pages of a lap of accesses. */
const LAP = 8192;

/** What a case does to one machine, in laps. */
type Pass = (machine: AnonMachine, watch: Stopwatch) => void;

function paging(
  name: string,
  what: string,
  unit: string,
  build: (pages: number) => AnonMachine,
  pass: Pass,
): BenchCase {
  return {
    name,
    what,
    metrics: [{ label: "", unit }],
    pages: USUAL_PAGES,
    ...TIMED,
    boot(pages, watch) {
      const machines = [build(pages), build(pages)];
      return inLaps(watch, machines, (machine) => {
        for (let i = 0; i < PASSES; i++) pass(machine, watch);
      });
    },
  };
}

const empty = (pages: number): AnonMachine => new AnonMachine(STOCK, pages);
const filled = (pages: number): AnonMachine => AnonMachine.filled(STOCK, pages);

function emptyHuge(pages: number): AnonMachine {
  const machine = empty(pages);
  machine.system.paging.thp.setGlobal("always");
  return machine;
}

/** Accesses one page of every `step`, in laps. */
function touch(machine: AnonMachine, watch: Stopwatch, write: boolean, step: number): void {
  for (let from = 0; from < machine.pages; from += LAP) {
    const to = Math.min(from + LAP, machine.pages);
    watch.start();
    const accesses = machine.touch(write, { from, to, step });
    watch.stop(accesses);
  }
}

/** Faults in a fresh mapping, one every `step` pages. */
function fault(machine: AnonMachine, watch: Stopwatch, step: number): void {
  machine.map();
  touch(machine, watch, true, step);
  if (machine.mm.anonPages !== machine.pages) throw new Error("a page was not faulted in");
  machine.unmap();
  machine.drain();
}

function hit(machine: AnonMachine, watch: Stopwatch): void {
  const { minorFaults } = machine.mm;
  touch(machine, watch, false, 1);
  if (machine.mm.minorFaults !== minorFaults) throw new Error("a hit faulted");
}

function fork(machine: AnonMachine, watch: Stopwatch): void {
  const { memory, mglru, paging: paths } = machine.system;
  const child = memory.createMm(machine.memcg);
  watch.start();
  paths.fork(machine.mm, child);
  watch.stop(machine.pages);
  if (child.anonPages !== machine.pages) throw new Error("a page was not copied");
  mglru.mmAdd(child, machine.memcg);
  paths.exitMm(new Task(machine.cpu, child), child);
}

function zap(machine: AnonMachine, watch: Stopwatch): void {
  machine.map();
  machine.touch(true);
  machine.drain();
  watch.start();
  machine.unmap();
  watch.stop(machine.pages);
  if (machine.memcg.charged !== 0) throw new Error("a page was not freed");
}

export const PAGING_CASES: readonly BenchCase[] = [
  paging(
    "fault/anon",
    "a write fault on an empty PTE: folio, mapping, folio batch, list",
    "ns/page",
    empty,
    (machine, watch) => fault(machine, watch, 1),
  ),
  paging("access/hit", "a read of a page that is mapped and young", "ns/page", filled, hit),
  paging(
    "fault/thp",
    "a write fault that maps a folio of 2 MiB by one PMD entry",
    "ns/folio",
    emptyHuge,
    (machine, watch) => fault(machine, watch, HUGE_PAGES),
  ),
  paging("fork", "fork() of an address space that is mapped whole", "ns/page", filled, fork),
  paging("zap", "munmap(), each page mapped once: PTE, list, allocator", "ns/page", empty, zap),
];
