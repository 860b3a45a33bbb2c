import { memoryUsage } from "node:process";
import { type BenchCase, TIMED, USUAL_PAGES } from "../bench-case.ts";
import { type EvictedType, EvictionMachine } from "../eviction-machine.ts";
import { median } from "../statistics.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Folios of the large machine for each of the small one. */
const GROWTH = 8;
/** Passes over a machine in a repetition; the large one takes as long in one. */
const SMALL_PASSES = 8;
/** Pages of a lap, which is one debugfs command: 4 batches of 4,096 folios. */
const LAP = 16_384;

/** Evicts all of a machine in laps. @returns bytes of heap a folio left behind */
function evictAll(machine: EvictionMachine, watch: Stopwatch, pages: number): number {
  machine.fill();
  if (machine.resident !== pages) throw new Error("not everything is in memory");
  const before = memoryUsage().heapUsed;
  for (let left = pages; left > 0; left -= LAP) {
    const nr = Math.min(LAP, left);
    watch.start();
    machine.evict(nr);
    watch.stop(nr);
  }
  const allocated = memoryUsage().heapUsed - before;
  if (machine.resident !== 0) throw new Error("not everything was evicted");
  machine.reset();
  return allocated / pages;
}

function evictionCase(name: string, what: string, type: EvictedType): BenchCase {
  return {
    name,
    what,
    metrics: [
      { label: "16,384 folios", unit: "ns/folio" },
      { label: "131,072 folios", unit: "ns/folio" },
      { label: "allocated", unit: "bytes/folio" },
    ],
    pages: USUAL_PAGES,
    ...TIMED,
    boot(pages, watch) {
      const smallPages = pages / GROWTH;
      const small = new EvictionMachine(type, smallPages);
      const large = new EvictionMachine(type, pages);
      return () => {
        for (let i = 0; i < SMALL_PASSES; i++) evictAll(small, watch, smallPages);
        const smallTime = watch.take();
        const allocated = [evictAll(large, watch, pages)];
        return [smallTime, watch.take(), Math.max(0, median(allocated))];
      };
    },
  };
}

/** Reclaim by the debugfs command, of folios nobody has looked at for four generations. */
export const EVICTION_CASES: readonly BenchCase[] = [
  evictionCase("evict/file", "eviction of clean page cache that nobody maps", "file"),
  evictionCase("evict/anon", "eviction of anonymous memory to zram: unmap, write, free", "anon"),
];
