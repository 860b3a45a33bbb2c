import type { Cpu } from "@lrugen/hardware";
import { LruGenMmWalk } from "@lrugen/mglru";
import {
  type Lruvec,
  type Memcg,
  type Mm,
  singleNode,
  Task,
  VM_READ,
  VM_WRITE,
} from "@lrugen/mm-core";
import { FAULT_NONE } from "@lrugen/paging";
import { System, systemFeatures } from "@lrugen/sim";

/** First virtual page of the mapping: beyond 2^31, as on a real machine. */
const FIRST_VPN = 0x1000_0000_0000 / 4096;
/** cgroup id of the memcg under test. */
const MEMCG_ID = 28;
/** Frames beyond the mapping, for the zero page; zones are whole blocks. */
const SPARE_PAGES = 1024;
/** vm.swappiness of every machine: both types are aged. */
export const SWAPPINESS: number = 60;
const NO_FAULT = FAULT_NONE;

/** Feature lists under comparison; see `systemFeatures`. */
export const STOCK: string = "";
export const SERIES: string = "series/inc-min-seq";

/** Every `step`th page of [from, to), counted from the start of a mapping. */
export interface PageRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** One machine with one task and one mapping of private anonymous memory, in a memcg of its own. */
export class AnonMachine {
  readonly system: System;
  readonly cpu: Cpu;
  readonly memcg: Memcg;
  readonly lruvec: Lruvec;
  readonly mm: Mm;
  readonly task: Task;
  /** First virtual page of the mapping. */
  readonly first: number = FIRST_VPN;
  readonly pages: number;
  private readonly walk: LruGenMmWalk = new LruGenMmWalk();

  /**
   * @param features feature list, on top of Linux 7.3
   * @param pages size of the mapping; the machine has hardly more
   */
  constructor(features: string, pages: number) {
    // A block or a hundredth more, so that the watermarks do not wake kswapd.
    const spare = Math.max(SPARE_PAGES, pages * 0.01);
    const frames = Math.ceil((pages + spare) / SPARE_PAGES) * SPARE_PAGES;
    this.pages = pages;
    this.system = new System({ features: systemFeatures(features), nodes: singleNode(frames) });
    const { hw, memory, mglru } = this.system;
    const [cpu] = hw.cpus;
    this.memcg = memory.createMemcg(memory.root, MEMCG_ID, "t");
    const [lruvec] = this.memcg.lruvecs;
    if (cpu === undefined || lruvec === undefined) throw new Error("a machine without CPU or node");
    this.cpu = cpu;
    this.lruvec = lruvec;
    this.mm = memory.createMm(this.memcg);
    mglru.mmAdd(this.mm, this.memcg);
    mglru.useMm(this.mm);
    this.task = new Task(cpu, this.mm);
  }

  /** A machine whose whole mapping is faulted in, in address order, and on the lists. */
  static filled(features: string, pages: number): AnonMachine {
    const machine = new AnonMachine(features, pages);
    machine.map();
    machine.touch(true);
    machine.drain();
    return machine;
  }

  /** mmap() of the mapping, without memory behind it yet. */
  map(): void {
    const { paging } = this.system;
    expectDone(paging.mmapAnon(this.mm, this.first, this.pages, VM_READ | VM_WRITE));
  }

  /** munmap() of the whole mapping. */
  unmap(): void {
    expectDone(this.system.paging.munmap(this.task, this.first, this.pages));
  }

  /**
   * Accesses the pages of the mapping, or a part of them, in address order.
   * @returns accesses made
   */
  touch(write: boolean, part: Partial<PageRange> = {}): number {
    const { task, first } = this;
    const { paging } = this.system;
    const { from = 0, to = this.pages, step = 1 } = part;
    let accesses = 0;
    for (let vpn = first + from; vpn < first + to; vpn += step) {
      if (paging.access(task, vpn, write) !== NO_FAULT) throw new Error("an access failed");
      accesses += 1;
    }
    return accesses;
  }

  /** Empties the folio batches. */
  drain(): void {
    this.system.batches.drain(this.cpu);
  }

  /** One aging with a forced walk of the page tables, as `+ MEMCG NODE SEQ` asks for. */
  age(): void {
    const { aging } = this.system.mglru;
    const { maxSeq } = this.lruvec.lrugen;
    const { cpu, lruvec, walk } = this;
    if (!aging.tryToIncMaxSeq(cpu, lruvec, maxSeq, SWAPPINESS, true, walk)) {
      throw new Error("an aging did not raise max_seq");
    }
  }

  /** inc_max_seq() alone, with the inc_min_seq() that it needs: no walk. */
  incMaxSeq(): void {
    const { window } = this.system.mglru.aging;
    if (!window.incMaxSeq(this.cpu, this.lruvec, this.lruvec.lrugen.maxSeq, SWAPPINESS)) {
      throw new Error("inc_max_seq() did not raise max_seq");
    }
  }

  /** A walk structure made ready for a forced walk of the current generation. */
  beginWalk(): LruGenMmWalk {
    this.walk.begin(this.lruvec, this.lruvec.lrugen.maxSeq, SWAPPINESS, true);
    return this.walk;
  }

  /** Folios that inc_min_seq() relinked since boot. */
  get moved(): number {
    return this.system.mglru.aging.counts.moved;
  }
}

/** @throws Error for a negative errno */
function expectDone(result: number): void {
  if (result < 0) throw new Error("a system call of the model failed");
}
