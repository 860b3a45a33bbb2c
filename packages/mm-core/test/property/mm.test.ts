import fc from "fast-check";
import { expect, test } from "vitest";
import { VM_READ, Vma } from "../../src/index.ts";
import { listMachine } from "../machine.ts";
import { RUNS } from "./runs.ts";

const PAGES = 24;

const step = fc.record({
  op: fc.constantFrom("insert", "insert", "remove", "shrink"),
  start: fc.nat(PAGES - 1),
  pages: fc.integer({ min: 1, max: 6 }),
});

test("lookups find what an array with one cell a page would", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
      const { memory } = listMachine();
      const mm = memory.createMm(memory.root);
      const cells: (Vma | null)[] = Array.from({ length: PAGES }, () => null);
      for (const { op, start, pages } of steps) {
        const end = Math.min(start + pages, PAGES);
        const vma = cells[start];
        if (op === "insert" && cells.slice(start, end).every((cell) => cell === null)) {
          const made = new Vma(mm, start, end, VM_READ);
          mm.insertVma(made);
          for (let vpn = start; vpn < end; vpn++) cells[vpn] = made;
        } else if (op === "remove" && vma) {
          mm.removeVma(vma);
          cells.fill(null, vma.start, vma.end);
        } else if (op === "shrink" && vma && start > vma.start) {
          cells.fill(null, start, vma.end);
          vma.end = start;
        }
        for (const [vpn, expected] of cells.entries()) {
          expect(mm.vmaAt(vpn)).toBe(expected);
          const next = cells.slice(vpn).find((cell) => cell !== null) ?? null;
          expect(mm.firstVmaEndingAfter(vpn)).toBe(next);
        }
      }
    }),
    RUNS,
  );
});
