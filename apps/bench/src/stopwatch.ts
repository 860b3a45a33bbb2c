/** Adds up the time between start() and stop(). */
export class Stopwatch {
  private readonly now: () => number;
  private started = 0;
  private total = 0;

  /** @param now a clock in ns */
  constructor(now: () => number) {
    this.now = now;
  }

  start(): void {
    this.started = this.now();
  }

  stop(): void {
    this.total += this.now() - this.started;
  }

  /** The time so far, in ns; the watch begins again at 0. */
  take(): number {
    const { total } = this;
    this.total = 0;
    return total;
  }
}
