/** Length of a jiffy: HZ is 250 in the reference configuration. */
export const JIFFY_MS: number = 4;

/** The machine's time. It moves only when somebody moves it; nothing reads a host clock. */
export class Clock {
  /** Jiffies since boot. */
  jiffies = 0;
  private restMs = 0;

  /** Lets milliseconds pass; parts of a jiffy add up. */
  sleep(ms: number): void {
    this.restMs += ms;
    this.jiffies += Math.floor(this.restMs / JIFFY_MS);
    this.restMs %= JIFFY_MS;
  }
}
