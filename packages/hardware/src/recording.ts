/**
 * A machine for tests: it prices nothing and writes down what the paths announce, in order.
 *
 * @module
 */
import type { Cpu, Line, StreamKind } from "./cpu.ts";
import { checkCpuCount } from "./engine-options.ts";
import type { Hardware, Region, VisitProfile } from "./hardware.ts";
import { StructTable } from "./struct-table.ts";
import { LineMap } from "./line-map.ts";
import { SpinLock } from "./spin-lock.ts";
import type { StructLayout } from "./struct-layout.ts";

/** One announcement of one CPU. Locks and profiles are given by name. */
export type Announcement =
  | { readonly cpu: number; readonly op: "work"; readonly instr: number }
  | {
      readonly cpu: number;
      readonly op: "load" | "store" | "rmw" | "prefetchw";
      readonly line: Line;
    }
  | {
      readonly cpu: number;
      readonly op: "stream";
      readonly bytes: number;
      readonly kind: StreamKind;
    }
  | { readonly cpu: number; readonly op: "visit"; readonly profile: string; readonly obj: number }
  | { readonly cpu: number; readonly op: "fence" }
  | { readonly cpu: number; readonly op: "acquire" | "release"; readonly lock: string };

/** The machine made by {@link createRecordingHardware}. */
export interface RecordingHardware extends Hardware {
  /** What was announced since boot or the last {@link RecordingHardware.take}, oldest first. */
  readonly announcements: readonly Announcement[];

  /** Returns the announcements and starts a new list. */
  take(): Announcement[];

  /**
   * Says in words what a line belongs to: `lruvec[7] line 1`, `region page line 12`, `lock lru_lock`.
   *
   * @throws Error for a line that was never given out
   */
  where(line: Line): string;
}

/**
 * Makes a recording machine; its CPUs are `costed`.
 *
 * @throws Error if `cpus` is not an integer from 1 to 256
 */
export function createRecordingHardware(options: { readonly cpus: number }): RecordingHardware {
  return new Recorder(checkCpuCount(options.cpus));
}

/** A CPU that appends what it is told to a list. */
export class RecordingCpu implements Cpu {
  readonly id: number;
  readonly costed: boolean = true;
  readonly #record: (announcement: Announcement) => void;
  readonly #profileName: (profile: number) => string;

  constructor(
    id: number,
    record: (announcement: Announcement) => void,
    profileName: (profile: number) => string = String,
  ) {
    this.id = id;
    this.#record = record;
    this.#profileName = profileName;
  }

  work(instr: number): void {
    this.#record({ cpu: this.id, op: "work", instr });
  }

  load(line: Line): void {
    this.#record({ cpu: this.id, op: "load", line });
  }

  store(line: Line): void {
    this.#record({ cpu: this.id, op: "store", line });
  }

  rmw(line: Line): void {
    this.#record({ cpu: this.id, op: "rmw", line });
  }

  prefetchw(line: Line): void {
    this.#record({ cpu: this.id, op: "prefetchw", line });
  }

  stream(bytes: number, kind: StreamKind): void {
    this.#record({ cpu: this.id, op: "stream", bytes, kind });
  }

  visit(profile: number, obj: number): void {
    this.#record({ cpu: this.id, op: "visit", profile: this.#profileName(profile), obj });
  }

  fence(): void {
    this.#record({ cpu: this.id, op: "fence" });
  }

  acquire(lock: SpinLock): void {
    lock.take(this.id);
    this.#record({ cpu: this.id, op: "acquire", lock: lock.name });
  }

  release(lock: SpinLock): void {
    lock.drop(this.id);
    this.#record({ cpu: this.id, op: "release", lock: lock.name });
  }
}

class Recorder implements RecordingHardware {
  readonly costed: boolean = true;
  readonly engine = "event";
  readonly cpus: readonly Cpu[];
  readonly locks: SpinLock[] = [];
  readonly #structs = new StructTable();
  readonly #lines = new LineMap();
  readonly #profiles: string[] = [];
  #announcements: Announcement[] = [];

  constructor(cpus: number) {
    const record = (announcement: Announcement): void =>
      void this.#announcements.push(announcement);
    const profileName = (profile: number): string => {
      const name = this.#profiles[profile];
      if (name === undefined) throw new Error(`visit profile ${profile} was never declared`);
      return name;
    };
    this.cpus = Array.from({ length: cpus }, (_, id) => new RecordingCpu(id, record, profileName));
  }

  get announcements(): readonly Announcement[] {
    return this.#announcements;
  }

  take(): Announcement[] {
    const taken = this.#announcements;
    this.#announcements = [];
    return taken;
  }

  where(line: Line): string {
    return this.#lines.where(line);
  }

  lock(name: string, line?: Line): SpinLock {
    const lock = new SpinLock(name, line ?? this.#lines.add(`lock ${name}`, 1), this.locks.length);
    this.locks.push(lock);
    return lock;
  }

  layout(struct: string): StructLayout {
    return this.#structs.get(struct);
  }

  defineLayout(layout: StructLayout): void {
    this.#structs.define(layout);
  }

  line(struct: string, field: string, obj: number): Line {
    return this.#lines.objectLine(this.#structs.place(struct), field, obj);
  }

  region(struct: string, count: number): Region {
    return this.#lines.region(this.#structs.placeRegion(struct, count), count);
  }

  visitProfile(profile: VisitProfile): number {
    this.#structs.checkProfile(profile);
    return this.#profiles.push(profile.name) - 1;
  }
}
