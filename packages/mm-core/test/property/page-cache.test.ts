import fc from "fast-check";
import { expect, test } from "vitest";
import { NIL, vmstatId } from "../../src/index.ts";
import { listMachine } from "../machine.ts";
import { RUNS } from "./runs.ts";

const FILE_PAGES = 320;
const NODES = vmstatId("workingset_nodes");

const step = fc.record({
  op: fc.constantFrom("insert", "insert", "reclaim", "truncate", "forget"),
  index: fc.oneof(fc.nat(FILE_PAGES - 1), fc.constantFrom(0, 1, 63, 64, 127, 128)),
  order: fc.constantFrom(0, 0, 0, 1, 2, 4),
});

/** workingset_nodes by its definition, from the slots of the naive model (PGC-07). */
function countNodes(slots: ReadonlyMap<number, string>): number {
  if (slots.size === 1 && slots.has(0)) return 0;
  let nodes = 0;
  for (let leaf = 0; leaf * 64 < FILE_PAGES; leaf++) {
    const kinds = new Set(Array.from({ length: 64 }, (_, i) => slots.get(leaf * 64 + i)?.[0]));
    if (kinds.has("s") && !kinds.has("f")) nodes += 1;
  }
  return nodes;
}

test("a page cache is a map from page to folio or shadow, and counts its shadow nodes (PGC-01, PGC-07)", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const { memory } = listMachine();
      const { pageCache } = memory;
      const file = memory.createFile({ name: "F", pages: FILE_PAGES });
      const slots = new Map<number, string>();
      for (const [shadow, { op, index, order }] of steps.entries()) {
        const first = index & ~((1 << order) - 1);
        const folio = pageCache.lookup(file, index);
        if (op === "insert") {
          const pages = Array.from({ length: 1 << order }, (_, i) => first + i);
          if (pages.some((page) => slots.get(page)?.startsWith("f"))) continue;
          const fresh = memory.allocFolio(order, memory.root);
          pageCache.insert(file, fresh, first);
          for (const page of pages) slots.set(page, `f${fresh}`);
        } else if (op === "forget") {
          pageCache.clearShadows(file, index, index + 100);
          for (const [page, what] of slots) {
            if (page >= index && page < index + 100 && what.startsWith("s")) slots.delete(page);
          }
        } else if (folio !== NIL) {
          const reclaimed = op === "reclaim";
          if (reclaimed) pageCache.remove(file, folio, shadow);
          else pageCache.remove(file, folio);
          for (const [page, what] of slots) {
            if (what !== `f${folio}`) continue;
            if (reclaimed) slots.set(page, `s${shadow}`);
            else slots.delete(page);
          }
          memory.folios.refcount[folio] = 0;
          memory.release.free(folio);
        }
        for (let page = 0; page < FILE_PAGES; page++) {
          const what = slots.get(page);
          const cached = pageCache.lookup(file, page);
          expect(cached === NIL ? undefined : `f${cached}`).toBe(
            what?.startsWith("f") ? what : undefined,
          );
          const left = pageCache.shadow(file, page);
          expect(left === undefined ? undefined : `s${left}`).toBe(
            what?.startsWith("s") ? what : undefined,
          );
        }
        expect(file.entries).toBe(slots.size);
        expect(memory.vmstat.values[NODES]).toBe(countNodes(slots));
      }
    }),
    RUNS,
  );
});
