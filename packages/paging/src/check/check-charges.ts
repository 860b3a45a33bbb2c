import { type Memcg, type Memory, PG_BUDDY, PG_RESERVED } from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";

/**
 * Whether every page counter holds what is charged to it: the folios and the kernel memory of the
 * memcg and of all below it, and the pages that CPUs have charged for them in advance. Holds between
 * any two operations.
 *
 * Rule: CHG-01, CHG-10, CHG-14.
 *
 * @returns one line for each violation: rule, what was found, what was expected
 */
export function checkCharges(memory: Memory, charge: Charge): string[] {
  const violations: string[] = [];
  const folios = foliosByMemcg(memory);
  for (const memcg of memory.root.preOrder()) {
    // What the root owns is counted nowhere, the huge zero folio not even as a folio of its own.
    if (!memcg.isCounted) continue;
    const found = folios[memcg.index] ?? 0;
    if (memcg.charged !== found) {
      violations.push(
        `CHG-01: memcg ${memcg.path}: ${memcg.charged} pages charged, expected the ${found} of its folios`,
      );
    }
    let expected = 0;
    for (const each of memcg.preOrder()) {
      expected += each.charged + each.kernelPages + charge.stockOf(each);
    }
    if (memcg.memory.usage !== expected) {
      violations.push(
        `CHG-10: memcg ${memcg.path}: usage is ${memcg.memory.usage} pages, expected ${expected}: ${describe(memcg, charge)}`,
      );
    }
  }
  return violations;
}

/** Pages of the folios of every memcg, by its index. */
function foliosByMemcg({ folios }: Memory): number[] {
  const pages: number[] = [];
  for (let pfn = 0; pfn < folios.nrPages;) {
    const word = folios.flags[pfn] as number;
    const free = word === PG_BUDDY;
    const count = free ? 1 << (folios.order[pfn] as number) : folios.nrPagesOf(pfn);
    const memcg = folios.memcg[pfn] as number;
    if (!free && (word & PG_RESERVED) === 0) pages[memcg] = (pages[memcg] ?? 0) + count;
    pfn += count;
  }
  return pages;
}

function describe(memcg: Memcg, charge: Charge): string {
  return `${memcg.charged} of folios, ${memcg.kernelPages} of the kernel, ${charge.stockOf(memcg)} in stocks, and its children's`;
}
