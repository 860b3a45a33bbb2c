import { NotModelledError, VM_HUGEPAGE } from "@lrugen/mm-core";
import { THP_SIZES, type ThpSize } from "../scenario/command.ts";
import type { Guest } from "./guest.ts";

/** Order of the smallest size, 16 kB. */
const FIRST_ORDER = 2;
const PAGES_PER_PMD = 512;

/**
 * Enables one size of large folios for VMAs that ask for it, and no other; global `madvise`. The
 * first time this starts khugepaged, which drains the batches of all CPUs, makes one pass and then
 * sleeps for the rest of the scenario.
 * @param size the size, or `never` for none
 * @throws NotModelledError when that pass would collapse something into 2 MiB folios
 */
export function setThpSize(guest: Guest, size: ThpSize | "never"): void {
  const { thp } = guest.system.paging;
  if (thp.global === "never") {
    if (size === "2048kB" && hasCollapsible(guest)) {
      throw new NotModelledError("khugepaged (collapsing what was advised MADV_HUGEPAGE before)");
    }
    guest.system.memory.batches.drainAll();
  }
  thp.setGlobal("madvise");
  for (const [i, name] of THP_SIZES.entries()) {
    thp.setSize(FIRST_ORDER + i, name === size ? "madvise" : "never");
  }
}

/** Whether a VMA is advised, holds pages, and has room for an aligned 2 MiB folio. */
function hasCollapsible(guest: Guest): boolean {
  return guest.workers.some(({ mm }) =>
    mm.vmas.some(({ start, end, flags, anonVma }) => {
      const first = Math.ceil(start / PAGES_PER_PMD) * PAGES_PER_PMD;
      return (flags & VM_HUGEPAGE) !== 0 && anonVma !== null && first + PAGES_PER_PMD <= end;
    }),
  );
}
