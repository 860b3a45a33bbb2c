import { lowerQuartile } from "./statistics.ts";

/**
 * Times laps. What counts is their lower quartile: other work on the machine can only lengthen a lap,
 * and as long as it leaves every fourth one alone it does not show.
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

  /** Lower quartile of the laps so far, in ns for each element; the next lap is the first again. */
  take(): number {
    const { laps } = this;
    this.laps = [];
    return lowerQuartile(laps);
  }
}
