import { median } from "./statistics.ts";

/**
 * Times laps, and gives their median: what a busy machine adds to a few short laps does not show in
 * it, as it would in their sum.
 */
export class Stopwatch {
  private readonly now: () => number;
  private started = 0;
  private laps: number[] = [];

  /** @param now a clock in ns */
  constructor(now: () => number) {
    this.now = now;
  }

  /** A lap begins. */
  start(): void {
    this.started = this.now();
  }

  /** The lap ends. @param elements how many the lap was about */
  stop(elements: number): void {
    this.laps.push((this.now() - this.started) / elements);
  }

  /** Median of the laps so far, in ns for each element; the next lap is the first again. */
  take(): number {
    const { laps } = this;
    this.laps = [];
    return median(laps);
  }
}
