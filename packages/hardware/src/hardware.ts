import type { Cpu, Line } from "./cpu.ts";
import type { SpinLock } from "./spin-lock.ts";
import type { StructLayout } from "./struct-layout.ts";

/**
 * Objects of one struct side by side in memory, as an array: struct pages, page table entries. Too many to name each line,
 * so lines are computed.
 */
export interface Region {
  /** Name of the struct. */
  readonly struct: string;

  /** Objects in the region. */
  readonly count: number;

  /**
   * The line that holds the byte at `offset` of object `obj`. 0 in the functional engine.
   *
   * @param obj 0 .. count − 1
   * @param offset bytes from the start of the object; read it once from the layout with `fieldOf(layout, name).offset`
   */
  line(obj: number, offset: number): Line;
}

/** One access of a {@link VisitProfile}: what is done to the line of a field. */
export interface VisitAccess {
  readonly kind: "load" | "store" | "rmw" | "prefetchw";
  readonly field: string;
}

/** What a path does to each object it meets, declared once and announced with {@link Cpu.visit}. */
export interface VisitProfile {
  /** What a report calls it. */
  readonly name: string;

  /** The struct of the objects; they live in the region of that struct. */
  readonly struct: string;

  /** Straight-line instructions per object. */
  readonly instr: number;

  /** Accesses to the object, in program order. */
  readonly accesses: readonly VisitAccess[];
}

/**
 * A machine. Everything is declared while the system boots: locks, layouts, regions and profiles; after that only the CPUs
 * are used.
 */
export interface Hardware {
  /** The same as {@link Cpu.costed} of every CPU. */
  readonly costed: boolean;

  /** `functional`: no costs. `serial`: one CPU. `event`: many CPUs with coherence and lock queues. */
  readonly engine: "functional" | "serial" | "event";

  readonly cpus: readonly Cpu[];

  /** Every lock made by {@link Hardware.lock}, in that order. */
  readonly locks: readonly SpinLock[];

  /**
   * Makes a spin lock.
   *
   * @param name what reports call it
   * @param line where the lock word lives; without it the lock has a line of its own
   */
  lock(name: string, line?: Line): SpinLock;

  /**
   * The layout defined for a struct.
   *
   * @throws Error naming the structs there are, if there is none of that name
   */
  layout(struct: string): StructLayout;

  /**
   * Says how a struct is laid out. A patch that only moves fields is another layout under the same name: the last definition
   * counts.
   *
   * @throws Error if lines of the struct were already given out under another definition
   */
  defineLayout(layout: StructLayout): void;

  /**
   * The line that holds the first byte of a field of one object. Every object starts on a line of its own. The functional
   * engine gives 0 and looks at nothing.
   *
   * @param obj any integer that tells objects of this struct apart
   * @throws Error for an unknown struct or field
   */
  line(struct: string, field: string, obj: number): Line;

  /**
   * Puts `count` objects of a struct side by side. A struct has one region.
   *
   * @throws Error for an unknown struct, a count that is not a positive integer, or a second region of the struct
   */
  region(struct: string, count: number): Region;

  /**
   * Declares what {@link Cpu.visit} stands for and returns the number to pass to it.
   *
   * @throws Error for an unknown struct or field, or a struct without a region
   */
  visitProfile(profile: VisitProfile): number;
}
