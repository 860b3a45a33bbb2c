import { describe, expect, test } from "vitest";
import { Clock, JIFFY_MS } from "../../src/index.ts";

describe("the clock", () => {
  test("starts at boot and stands still by itself", () => {
    expect(new Clock().jiffies).toBe(0);
  });

  test("has jiffies of 4 ms, HZ being 250", () => {
    const clock = new Clock();
    clock.sleep(1000);
    expect([JIFFY_MS, clock.jiffies]).toEqual([4, 250]);
  });

  test("adds up parts of a jiffy over several sleeps", () => {
    const clock = new Clock();
    const seen = [3, 3, 1, 1, 0, 9].map((ms) => {
      clock.sleep(ms);
      return clock.jiffies;
    });
    expect(seen).toEqual([0, 1, 1, 2, 2, 4]);
  });

  test("loses nothing over many short sleeps", () => {
    const clock = new Clock();
    for (let i = 0; i < 4001; i++) clock.sleep(1);
    expect(clock.jiffies).toBe(1000);
  });
});
