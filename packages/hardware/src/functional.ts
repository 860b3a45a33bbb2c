import type { Cpu, Line, StreamKind } from "./cpu.ts";
import { checkCpuCount } from "./engine-options.ts";
import type { Hardware, Region, VisitProfile } from "./hardware.ts";
import { StructTable } from "./struct-table.ts";
import { SpinLock } from "./spin-lock.ts";
import type { StructLayout } from "./struct-layout.ts";

/** The only line of a machine without costs. */
const NO_LINE: Line = 0;

/** What {@link createFunctionalHardware} needs to know. */
export interface FunctionalHardwareOptions {
  /** CPUs of the machine, 1 .. 256. */
  readonly cpus: number;
}

/**
 * A machine that costs nothing: state changes only. Announcements do nothing, lines are all 0, locks are checked and counted.
 *
 * @throws Error if `cpus` is not an integer from 1 to 256
 */
export function createFunctionalHardware(options: FunctionalHardwareOptions): Hardware {
  return new FunctionalHardware(checkCpuCount(options.cpus));
}

class FunctionalCpu implements Cpu {
  readonly id: number;
  readonly costed: boolean = false;

  constructor(id: number) {
    this.id = id;
  }

  work(_instr: number): void {}
  load(_line: Line): void {}
  store(_line: Line): void {}
  rmw(_line: Line): void {}
  prefetchw(_line: Line): void {}
  stream(_bytes: number, _kind: StreamKind): void {}
  visit(_profile: number, _obj: number): void {}
  fence(): void {}

  acquire(lock: SpinLock): void {
    lock.take(this.id);
  }

  release(lock: SpinLock): void {
    lock.drop(this.id);
  }
}

class FunctionalRegion implements Region {
  readonly struct: string;
  readonly count: number;

  constructor(struct: string, count: number) {
    this.struct = struct;
    this.count = count;
  }

  line(_obj: number, _offset: number): Line {
    return NO_LINE;
  }
}

class FunctionalHardware implements Hardware {
  readonly costed: boolean = false;
  readonly engine = "functional";
  readonly cpus: readonly Cpu[];
  readonly locks: SpinLock[] = [];
  readonly #structs = new StructTable();
  #profiles = 0;

  constructor(cpus: number) {
    this.cpus = Array.from({ length: cpus }, (_, id) => new FunctionalCpu(id));
  }

  lock(name: string, line: Line = NO_LINE): SpinLock {
    const lock = new SpinLock(name, line, this.locks.length);
    this.locks.push(lock);
    return lock;
  }

  layout(struct: string): StructLayout {
    return this.#structs.get(struct);
  }

  defineLayout(layout: StructLayout): void {
    this.#structs.define(layout);
  }

  line(_struct: string, _field: string, _obj: number): Line {
    return NO_LINE;
  }

  region(struct: string, count: number): Region {
    this.#structs.placeRegion(struct, count);
    return new FunctionalRegion(struct, count);
  }

  visitProfile(profile: VisitProfile): number {
    this.#structs.checkProfile(profile);
    return this.#profiles++;
  }
}
