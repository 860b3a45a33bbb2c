import { expect, test } from "vitest";
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  MAX_PFN,
} from "../../src/index.ts";

const FLAGS = [ENTRY_PRESENT, ENTRY_WRITE, ENTRY_ACCESSED, ENTRY_DIRTY, ENTRY_SPECIAL, ENTRY_LEAF];

test("the flag bits are distinct and fill the room below the number", () => {
  expect(FLAGS.reduce((sum, flag) => sum + flag, 0)).toBe((1 << ENTRY_SHIFT) - 1);
  expect(new Set(FLAGS).size).toBe(ENTRY_SHIFT);
});

test("an entry in an Int32Array gives back the largest frame number and every flag", () => {
  const all = FLAGS.reduce((bits, flag) => bits | flag, 0);
  const entries = Int32Array.of(((MAX_PFN - 1) << ENTRY_SHIFT) | all);
  expect(entries[0]! >>> ENTRY_SHIFT).toBe(MAX_PFN - 1);
  expect(entries[0]! & all).toBe(all);
});
