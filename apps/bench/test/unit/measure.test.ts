import { expect, test } from "vitest";
import { measure } from "../../src/measure.ts";
import { fakeWatch, scriptedCase } from "../benches.ts";

test("gives the figures by metric and leaves the warm-up out", () => {
  const rows = [
    [99, 98],
    [97, 96],
    [1, 4],
    [2, 5],
    [3, 6],
  ];
  expect(measure(scriptedCase("a", rows, 2), fakeWatch())).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
});

test("boots the case once, at its own size", () => {
  const sizes: number[] = [];
  const one = scriptedCase("a", [[1], [2]]);
  measure(
    {
      ...one,
      boot(pages, watch) {
        sizes.push(pages);
        return one.boot(pages, watch);
      },
    },
    fakeWatch(),
  );
  expect(sizes).toEqual([64]);
});
