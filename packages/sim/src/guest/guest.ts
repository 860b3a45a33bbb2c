import { type FileMapping, type Memcg, type Mm, type OpenFile, Task } from "@lrugen/mm-core";
import type { FeatureSet } from "../features/feature-set.ts";
import type { ScenarioOptions } from "../scenario/scenario.ts";
import { type GuestMemory, guestNodes, takeBootMemory } from "./guest-memory.ts";
import { SCENARIO_LIMITS } from "../scenario/limits.ts";
import { System } from "../system/system.ts";

/** First virtual page of the first region; each region has its own 1 GiB from there. */
const FIRST_REGION = 0x1000_0000_0000 / 4096;
const REGION_SPAN = 262_144;

/** cgroup id of the scenario memcg in every fixture (free field 2). */
const SCENARIO_MEMCG_ID = 28;

/** Ids that the directory of a memcg and its files take. */
const IDS_PER_MEMCG = 39;

/** A mapping of the scenario, at the same address in every worker that has it. */
export interface Region {
  readonly name: string;
  /** First virtual page. */
  readonly start: number;
  readonly pages: number;
  /** What it maps, null for private anonymous memory. */
  readonly file: FileMapping | null;
}

/** A scenario process: one task of its own address space, pinned to CPU 0. */
export interface Worker {
  readonly name: string;
  readonly task: Task;
  readonly mm: Mm;
  /** Open files by the scenario's descriptor; fork shares them. */
  readonly fds: Map<number, OpenFile>;
}

/**
 * The reference guest: a controller in the root memcg, workers in `/t`, and the regions they map.
 * What the harness itself does around a command (switching memcgs at fork, draining) is done here
 * too, since the lists show it.
 */
export class Guest {
  readonly system: System;
  /** The memcg that the commands are about: `/t` until `use` names another. */
  memcg: Memcg;
  /** Memcgs below the root by path, without the leading slash. */
  readonly memcgs: Map<string, Memcg> = new Map();
  readonly regions: Region[] = [];
  readonly workers: Worker[] = [];
  /** The worker whose command is being carried out. */
  running: Worker | null = null;
  /** Files by name. */
  readonly files: Map<string, FileMapping> = new Map();
  /** Paths of memcgs that have the memory controller in cgroup.subtree_control. */
  readonly handingDown: Set<string> = new Set();
  private memcgsMade = 0;
  /** Who writes debugfs and sysfs files: no address space that is ever walked. */
  readonly controller: Task;

  /** Boots a guest with one worker, `w0`. */
  constructor(features: FeatureSet, options: Pick<ScenarioOptions, "smp"> & GuestMemory) {
    this.system = new System({
      features,
      cpus: options.smp,
      nodes: guestNodes(options),
      maxMemcgs: SCENARIO_LIMITS.memcgsMax + 1,
    });
    const { memory, hw } = this.system;
    takeBootMemory(memory, options);
    this.memcg = memory.createMemcg(memory.root, this.nextMemcgId, "t");
    this.memcgs.set("t", this.memcg);
    this.controller = new Task(hw.cpus[0]!, null);
    this.system.paging.charge.oom.onOomKill = (mm) => this.oomKilled(mm);
    this.newWorker("w0");
  }

  /** The live worker of this name. */
  worker(name: string): Worker | undefined {
    return this.workers.find((worker) => worker.name === name);
  }

  /** The region of this name. */
  region(name: string): Region | undefined {
    return this.regions.find((region) => region.name === name);
  }

  /** First virtual page of the next region. */
  get nextRegionStart(): number {
    return FIRST_REGION + this.regions.length * REGION_SPAN;
  }

  /** Reserves the next 1 GiB for a region. */
  newRegion(name: string, pages: number, file: FileMapping | null = null): Region {
    const region = { name, start: this.nextRegionStart, pages, file };
    this.regions.push(region);
    return region;
  }

  /** Time passes; writeback that a flusher was woken for is done by then. */
  sleep(ms: number): void {
    this.system.memory.clock.sleep(ms);
    this.system.paging.flusher.run(this.controller.cpu);
  }

  /** `proc`: a child of the controller, born in the root memcg and moved to `/t`. */
  newWorker(name: string): Worker {
    const { memory, mglru } = this.system;
    const mm = memory.createMm(memory.root);
    mglru.mmAdd(mm, memory.root);
    const worker = this.adopt(name, mm, this.memcgs.get("t") as Memcg);
    memory.batches.drainAll();
    return worker;
  }

  /** `fork`: the parent is in the root memcg meanwhile, and returns to `/t` after the child. */
  fork(parent: Worker, name: string): void {
    const { memory, mglru, paging } = this.system;
    const { memcg } = parent.mm;
    this.move(parent.mm, memory.root);
    mglru.useMm(parent.mm);
    const child = memory.createMm(memory.root);
    paging.fork(parent.mm, child);
    mglru.mmAdd(child, memory.root);
    memory.batches.drainAll();
    const { task } = this.adopt(name, child, memcg, parent.fds);
    task.preferredNode = parent.task.preferredNode;
    this.move(parent.mm, memcg);
  }

  /** `exit`, or death by a signal. */
  exit(worker: Worker): void {
    const { mglru, paging } = this.system;
    mglru.useMm(worker.mm);
    paging.exitMm(worker.task, worker.mm);
    for (const file of worker.fds.values()) paging.closeFile(worker.task, file);
    this.workers.splice(this.workers.indexOf(worker), 1);
  }

  /**
   * A victim that is not running dies at once: in the guest it does so while the killer goes on
   * trying. One that runs now dies when its command leaves the kernel.
   */
  private oomKilled(mm: Mm): void {
    const victim = this.workers.find((worker) => worker.mm === mm);
    if (victim !== undefined && victim !== this.running) this.exit(victim);
  }

  private adopt(
    name: string,
    mm: Mm,
    memcg: Memcg,
    fds: ReadonlyMap<number, OpenFile> = new Map(),
  ): Worker {
    const task = new Task(this.system.hw.cpus[0]!, mm);
    for (const [, file] of fds) file.users += 1;
    const worker = { name, mm, task, fds: new Map(fds) };
    this.workers.push(worker);
    this.system.mglru.useMm(mm);
    this.move(mm, memcg);
    return worker;
  }

  /** Id for the next memcg: a cgroup directory and its files take one each. */
  get nextMemcgId(): number {
    return SCENARIO_MEMCG_ID + IDS_PER_MEMCG * this.memcgsMade++;
  }

  /** cgroup.procs: the address space follows its owner (MM-04). */
  move(mm: Mm, memcg: Memcg): void {
    mm.memcg = memcg;
    this.system.mglru.mmMigrate(mm, memcg);
  }
}
