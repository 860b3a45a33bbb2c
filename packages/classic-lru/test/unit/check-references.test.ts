import {
  NotModelledError,
  PG_REFERENCED,
  PG_SWAPBACKED,
  ScanControl,
  Task,
  VM_EXEC,
  VM_LOCKED,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

describe("folio_check_references (CLS-10)", () => {
  test.each([
    ["mlocked meanwhile", 0, 1, VM_LOCKED, "activate", false],
    ["contended", PG_REFERENCED, -1, 0, "keep", true],
    ["first reference", 0, 1, 0, "keep", true],
    ["second reference", PG_REFERENCED, 1, 0, "activate", true],
    ["referenced from two places", 0, 2, 0, "activate", true],
    ["a program's text", 0, 1, VM_EXEC, "activate", true],
    ["anonymous memory of an executable mapping", PG_SWAPBACKED, 1, VM_EXEC, "keep", true],
    ["not referenced", 0, 0, 0, "reclaim", false],
    ["not referenced any more", PG_REFERENCED, 0, 0, "reclaim", false],
  ] as const)("%s", (_case, flags, referenced, vmaFlags, verdict, after) => {
    const m = new Machine();
    const folio = m.fresh(flags);
    expect(m.classic.checkReferences(folio, referenced, vmaFlags)).toBe(verdict);
    expect((m.flags(folio) & PG_REFERENCED) !== 0).toBe(after);
  });
});

test("scanning is not modelled", () => {
  const m = new Machine();
  const sc = new ScanControl(new Task(m.cpu, null), { nrToReclaim: 1 });
  for (const scan of [
    (): void => m.classic.shrinkLruvec(m.lruvec, sc),
    (): void => m.classic.shrinkNode(0, sc),
    (): void => m.classic.ageNode(0, sc),
  ]) {
    expect(scan).toThrow(NotModelledError);
  }
});
