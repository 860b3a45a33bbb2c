import type { SpinLock } from "./spin-lock.ts";

/**
 * Number of a 64-byte cache line, given out by {@link Hardware.line}, {@link Hardware.region} or a lock. The functional
 * engine gives 0 for every line.
 */
export type Line = number;

/** How a bulk transfer uses memory: clear the target, copy source to target, or only read. */
export type StreamKind = "zero" | "copy" | "read";

/**
 * One CPU, as the kernel model sees it. A path runs at once and *announces* what it does to memory; what that costs is the
 * engine's business. Every announcement returns nothing, so no path can depend on time.
 *
 * Announcements of hot paths stand behind {@link Cpu.costed}, read once per function:
 *
 * ```ts
 * const { costed } = cpu;
 * for (...) { if (costed) cpu.rmw(line); flags[folio] = value; }
 * ```
 *
 * Locks are taken with or without costs: `acquire` and `release` are never put behind `costed`.
 */
export interface Cpu {
  /** Index in {@link Hardware.cpus}. */
  readonly id: number;

  /** Whether announcements are priced. False means that all of them, except `acquire` and `release`, do nothing. */
  readonly costed: boolean;

  /** Executes `instr` instructions that touch no line of interest. */
  work(instr: number): void;

  /** Reads a line. */
  load(line: Line): void;

  /** Writes a line, through the store buffer. */
  store(line: Line): void;

  /** Locked read-modify-write of a line: atomic operations, `set_mask_bits`, compare-exchange. */
  rmw(line: Line): void;

  /** Asks for a line in writable state without waiting for it. */
  prefetchw(line: Line): void;

  /** Moves `bytes` of memory in one go (page clearing, page copies, reading a page for compression). */
  stream(bytes: number, kind: StreamKind): void;

  /**
   * Does everything `profile` says to object `obj` of the profile's region. One call instead of one per access.
   *
   * @param profile a number from {@link Hardware.visitProfile}
   * @param obj index in the region of the profile's struct
   */
  visit(profile: number, obj: number): void;

  /** Waits until all earlier stores are visible (`smp_mb`). */
  fence(): void;

  /**
   * Takes a spin lock.
   *
   * @throws Error if the lock is already held, whoever holds it: operations run one after the other, so a held lock is never
   * waited for, it was forgotten
   */
  acquire(lock: SpinLock): void;

  /**
   * Gives a spin lock back.
   *
   * @throws Error if this CPU does not hold it
   */
  release(lock: SpinLock): void;
}
