import {
  MM_LEAF_TOTAL,
  MM_LEAF_YOUNG,
  PageTableWalk,
  PmdWalk,
  Promotion,
  PteWalk,
} from "@lrugen/mglru";
import { AnonMachine, STOCK } from "../anon-machine.ts";
import { type BenchCase, perElement, TIMED, USUAL_PAGES } from "../bench-case.ts";
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
   * Times the walk of an aging.
   * @param young every PTE was accessed since the walk before; else none was
   * @returns PTEs walked
   */
  walk(young: boolean, watch: Stopwatch): number {
    const { machine } = this;
    if (young) machine.touch(false);
    const walk = machine.beginWalk();
    watch.start();
    this.tables.walkMm(machine.cpu, walk, machine.mm);
    watch.stop();
    const expected = young ? machine.pages : 0;
    if (walk.mmStats[MM_LEAF_TOTAL] !== machine.pages) throw new Error("a PTE was not walked");
    if (walk.mmStats[MM_LEAF_YOUNG] !== expected) throw new Error("a PTE has the wrong age");
    machine.incMaxSeq();
    return machine.pages;
  }
}

function walk(name: string, what: string, young: boolean): BenchCase {
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
      return perElement(watch, machines, (machine) => {
        let walked = 0;
        for (let i = 0; i < WALKS; i++) walked += machine.walk(young, watch);
        return walked;
      });
    },
  };
}

export const WALK_CASES: readonly BenchCase[] = [
  walk("walk/young", "the walk of an aging, every PTE young: clear, and promote the folio", true),
  walk("walk/old", "the walk of an aging, every PTE old", false),
];
