import { fieldOf, lineOf } from "@lrugen/hardware";
import { expect, test } from "vitest";
import { FOLIO_LAYOUT } from "../../src/index.ts";

test("flags, links and memcg of a folio are where the kernel has them, on one line (LAY-08)", () => {
  const fields = ["flags", "lru", "memcg_data"];
  expect(FOLIO_LAYOUT.size).toBe(64);
  expect(fields.map((name) => fieldOf(FOLIO_LAYOUT, name).offset)).toEqual([0, 8, 56]);
  expect(fields.map((name) => lineOf(FOLIO_LAYOUT, name))).toEqual([0, 0, 0]);
});
