import type { Line } from "./cpu.ts";

const NOBODY = -1;

/**
 * A kernel spin lock. Kernel operations run one after the other, so a lock never decides the order of state changes: it only
 * proves that critical sections pair up, counts them, and tells a costed engine where CPUs would have waited.
 *
 * Made by {@link Hardware.lock}.
 */
export class SpinLock {
  /** What a report calls it, like `lruvec->lru_lock`. Locks of one class (one per memcg, say) may share a name. */
  readonly name: string;

  /** The line the lock word is in. 0 in the functional engine. */
  readonly line: Line;

  /** Index in {@link Hardware.locks}. */
  readonly id: number;

  /** Times the lock was taken since boot. Never decreases. */
  acquisitions = 0;

  /** Id of the CPU that holds the lock, −1 for none. */
  holder: number = NOBODY;

  constructor(name: string, line: Line, id: number) {
    this.name = name;
    this.line = line;
    this.id = id;
  }

  /**
   * The state half of {@link Cpu.acquire}, the same for every engine.
   *
   * @throws Error if the lock is held, by this CPU (recursion) or by another (a forgotten release)
   */
  take(cpu: number): void {
    if (this.holder !== NOBODY) {
      throw new Error(
        this.holder === cpu ? "spin lock recursion" : "spin lock held across operations",
        {
          cause: this.name,
        },
      );
    }
    this.holder = cpu;
    this.acquisitions += 1;
  }

  /**
   * The state half of {@link Cpu.release}.
   *
   * @throws Error if `cpu` does not hold the lock
   */
  drop(cpu: number): void {
    if (this.holder !== cpu)
      throw new Error("spin lock released by a CPU that does not hold it", { cause: this.name });
    this.holder = NOBODY;
  }
}
