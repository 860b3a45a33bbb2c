import { expect, test } from "vitest";
import { alignedOrder, initialWindow, log2, nextWindow } from "../../src/file/readahead-window.ts";

test("a first window of 32 at most is 4, 4, 8, 8, 16 … pages for requests of 1, 2, 3, 4, 5 … (FIO-10, FIO-18)", () => {
  const sizes = [1, 2, 3, 4, 5, 8, 9, 16, 32, 33, 1000].map((pages) => initialWindow(pages, 32));
  expect(sizes).toEqual([4, 4, 8, 8, 16, 16, 32, 32, 32, 32, 32]);
});

test("a first window of a large device is four times a small request (FIO-10)", () => {
  expect([1, 2, 4, 5, 64, 65].map((pages) => initialWindow(pages, 128))).toEqual([
    4, 8, 16, 16, 128, 128,
  ]);
});

test("the next window is four times, twice, and at last the largest (FIO-10)", () => {
  expect([0, 1, 2, 3, 7, 8, 16, 17, 32].map((size) => nextWindow(size, 32))).toEqual([
    0, 4, 4, 6, 14, 16, 32, 32, 32,
  ]);
});

test("orders of sizes and of indices", () => {
  expect([1, 2, 3, 4, 31, 32].map(log2)).toEqual([0, 1, 1, 2, 4, 5]);
  expect([1, 2, 3, 12, 48, 1024].map(alignedOrder)).toEqual([0, 1, 0, 2, 4, 10]);
});
