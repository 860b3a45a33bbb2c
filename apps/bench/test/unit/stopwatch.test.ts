import { expect, test } from "vitest";
import { Stopwatch } from "../../src/stopwatch.ts";

/** A watch whose clock shows `times`, one after the other. */
function watchOf(...times: number[]): Stopwatch {
  return new Stopwatch(() => times.shift() ?? Number.NaN);
}

test("a lap is the time between start and stop, for each element", () => {
  const watch = watchOf(100, 600);
  watch.start();
  watch.stop(50);
  expect(watch.take()).toBe(10);
});

test("of several laps the lower quartile counts; what lies between them does not", () => {
  const watch = watchOf(0, 40, 1000, 1020, 5000, 5030, 9000, 9010);
  for (let lap = 0; lap < 4; lap++) {
    watch.start();
    watch.stop(1);
  }
  expect(watch.take()).toBe(20);
});

test("begins anew after it was read", () => {
  const watch = watchOf(0, 1, 10, 17);
  watch.start();
  watch.stop(1);
  watch.take();
  watch.start();
  watch.stop(1);
  expect(watch.take()).toBe(7);
  expect(() => watch.take()).toThrow(RangeError);
});
