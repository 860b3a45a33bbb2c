import {
  MM_LEAF_TOTAL,
  MM_LEAF_YOUNG,
  PageTableWalk,
  PmdWalk,
  Promotion,
  PteWalk,
} from "@lrugen/mglru";
import { AnonMachine, STOCK } from "../anon-machine.ts";
import { type BenchCase, inLaps, TIMED, USUAL_PAGES } from "../bench-case.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Walks of one machine in a repetition. */
const WALKS = 16;

/** A filled machine with a walk that can be called without the rest of aging. */
class WalkedMachine {
  readonly machine: AnonMachine;
  private readonly tables: PageTableWalk;

  constructor(pages: number) {
    this.machine = AnonMachine.filled(STOCK, pages);
    const { memory, mglru } = this.machine.system;
    const promotion = new Promotion(memory);
    const pteWalk = new PteWalk(memory, promotion);
    const pmdWalk = new PmdWalk(memory, promotion, pteWalk, mglru.caps);
    this.tables = new PageTableWalk(memory, promotion, pmdWalk);
  }

  /**
   * One lap: the walk of an aging.
   * @param young every PTE was accessed since the walk before; else none was
   */
  walk(young: boolean, watch: Stopwatch): void {
    const { machine } = this;
    if (young) machine.touch(false);
    const walk = machine.beginWalk();
    watch.start();
    this.tables.walkMm(machine.cpu, walk, machine.mm);
    watch.stop(machine.pages);
    const expected = young ? machine.pages : 0;
    if (walk.mmStats[MM_LEAF_TOTAL] !== machine.pages) throw new Error("a PTE was not walked");
    if (walk.mmStats[MM_LEAF_YOUNG] !== expected) throw new Error("a PTE has the wrong age");
    machine.incMaxSeq();
  }
}

function walkCase(name: string, what: string, young: boolean): BenchCase {
  return {
    name,
    what,
    metrics: [{ label: "", unit: "ns/PTE" }],
    pages: USUAL_PAGES,
    ...TIMED,
    boot(pages, watch) {
      const machines = [new WalkedMachine(pages), new WalkedMachine(pages)];
      for (const machine of machines) machine.walk(true, watch);
      watch.take();
      return inLaps(watch, machines, (machine) => {
        for (let i = 0; i < WALKS; i++) machine.walk(young, watch);
      });
    },
  };
}

export const WALK_CASES: readonly BenchCase[] = [
  walkCase(
    "walk/young",
    "the walk of an aging, every PTE young: clear, and promote the folio",
    true,
  ),
  walkCase("walk/old", "the walk of an aging, every PTE old", false),
];
