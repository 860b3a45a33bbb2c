import { memoryUsage } from "node:process";
import { type BenchCase, type Metric, TIMED } from "../bench-case.ts";
import { FAULT_AROUND_PAGES, FileMachine } from "../file-machine.ts";
import { median } from "../statistics.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** 64 MiB: larger than any cache of this machine would like. */
const FILE_PAGES = 16_384;
const LAP = 4096;
const PASSES = 4;

/** What an operation takes, and what it leaves to the garbage collector. */
function metrics(unit: string): readonly Metric[] {
  return [
    { label: "time", unit: `ns/${unit}` },
    { label: "allocated", unit: `bytes/${unit}` },
  ];
}

/** Work on one machine that is timed in laps; `prepare` before each pass is free. */
interface FileWork {
  readonly prepare: (machine: FileMachine) => void;
  readonly lap: (machine: FileMachine, from: number, to: number) => void;
  /** Operations of a page. */
  readonly perPage: number;
}

function fileCase(name: string, what: string, unit: string, work: FileWork): BenchCase {
  return {
    name,
    what,
    metrics: metrics(unit),
    pages: FILE_PAGES,
    ...TIMED,
    boot(pages, watch) {
      const machines = [new FileMachine(pages), new FileMachine(pages)];
      return () => {
        // What the harness itself allocates in a pass is not the work's; nor are its laps.
        const idle = { ...work, lap: () => {} };
        const harness = median(machines.map((machine) => pass(machine, watch, idle)));
        watch.take();
        const allocated = machines.flatMap((machine) =>
          Array.from({ length: PASSES }, () => pass(machine, watch, work) - harness),
        );
        // Allocation of the harness varies by a little, and a collection in between makes a pass look
        // better than it was, never worse: the median is neither.
        return [watch.take(), Math.max(0, median(allocated))];
      };
    },
  };
}

/** @returns bytes of heap an operation left behind */
function pass(machine: FileMachine, watch: Stopwatch, { prepare, lap, perPage }: FileWork): number {
  prepare(machine);
  const before = memoryUsage().heapUsed;
  for (let from = 0; from < machine.pages; from += LAP) {
    const to = Math.min(from + LAP, machine.pages);
    watch.start();
    lap(machine, from, to);
    watch.stop((to - from) * perPage);
  }
  return (memoryUsage().heapUsed - before) / (machine.pages * perPage);
}

function fillCache(machine: FileMachine): void {
  if (machine.cachedPages < machine.pages) machine.read(0, machine.pages);
}

/** Buffered reads and mapped reads of a file. */
export const FILE_CASES: readonly BenchCase[] = [
  fileCase("file/read-hit", "read() of a cached page", "read", {
    prepare: fillCache,
    lap: (machine, from, to) => machine.read(from, to),
    perPage: 1,
  }),
  fileCase("file/readahead", "sequential read() of an uncached file, a page at a time", "read", {
    prepare: (machine) => machine.dropCache(),
    lap: (machine, from, to) => machine.read(from, to),
    perPage: 1,
  }),
  fileCase("file/fault-around", "read fault that maps 16 cached pages", "fault", {
    prepare(machine) {
      fillCache(machine);
      machine.unmapPages();
    },
    lap: (machine, from, to) => machine.touchWindows(from, to),
    perPage: 1 / FAULT_AROUND_PAGES,
  }),
];
