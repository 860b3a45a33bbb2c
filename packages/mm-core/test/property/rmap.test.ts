import fc from "fast-check";
import { expect, test } from "vitest";
import { VM_WRITE, Vma } from "../../src/index.ts";
import { listMachine } from "../machine.ts";
import { RUNS } from "./runs.ts";

const ORDER = 3;
const PAGES = 1 << ORDER;

const range = fc
  .tuple(fc.nat(PAGES - 1), fc.integer({ min: 1, max: PAGES }))
  .map(([first, length]) => ({ first, count: Math.min(length, PAGES - first) }));

const step = fc.record({ op: fc.constantFrom("map", "unmap", "pmd", "split", "unpmd"), range });

test("map counts of a large folio are those of a list of its mappings (FOL-12)", () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(step, { maxLength: 40, size: "max" }),
      (pmdMapped, steps) => {
        const { memory } = listMachine();
        const { rmap, folios } = memory;
        const vma = new Vma(memory.createMm(memory.root), 0, PAGES, VM_WRITE);
        const folio = memory.allocFolio(ORDER, memory.root);
        rmap.addNewAnon(folio, vma, 0, pmdMapped);
        const ptes: number[] = Array.from({ length: PAGES }, () => (pmdMapped ? 0 : 1));
        let pmds = pmdMapped ? 1 : 0;
        for (const {
          op,
          range: { first, count },
        } of steps) {
          const covered = ptes.slice(first, first + count);
          if (op === "map") {
            rmap.addPtes(folio, folio + first, count);
            for (let i = first; i < first + count; i++) ptes[i]! += 1;
          } else if (op === "unmap" && !covered.includes(0)) {
            rmap.removePtes(folio, folio + first, count);
            for (let i = first; i < first + count; i++) ptes[i]! -= 1;
          } else if (op === "pmd") {
            rmap.addPmd(folio);
            pmds += 1;
          } else if (op === "split" && pmds > 0) {
            rmap.splitPmd(folio);
            pmds -= 1;
            for (let i = 0; i < PAGES; i++) ptes[i]! += 1;
          } else if (op === "unpmd" && pmds > 0) {
            rmap.removePmd(folio);
            pmds -= 1;
          }
          expect(folios.mapcountOf(folio)).toBe(pmds + ptes.reduce((sum, pte) => sum + pte, 0));
          expect(folios.entireMapcountOf(folio)).toBe(pmds);
          expect(folios.nrPagesMappedOf(folio)).toBe(ptes.filter((pte) => pte > 0).length);
          expect([...folios.mapcount.subarray(folio, folio + PAGES)]).toEqual(ptes);
        }
      },
    ),
    RUNS,
  );
});
