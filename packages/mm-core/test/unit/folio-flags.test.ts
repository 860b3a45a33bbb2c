import { expect, test } from "vitest";
import { LRU_ANON, LRU_FILE } from "../../src/index.ts";

test("types are indices: anon 0, file 1 (FOL-03)", () => {
  expect([LRU_ANON, LRU_FILE]).toEqual([0, 1]);
});
