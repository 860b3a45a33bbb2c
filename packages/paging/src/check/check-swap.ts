import { type Memory, NO_SLOT, PG_BUDDY, PG_SWAPBACKED, PG_SWAPCACHE } from "@lrugen/mm-core";

const IN_SWAP_CACHE = PG_SWAPBACKED | PG_SWAPCACHE;

/** References that the swap cache has on a folio: one a page if it is there. */
export function swapCachePages(memory: Memory, folio: number): number {
  const word = memory.folios.flags[folio] as number;
  return (word & IN_SWAP_CACHE) === IN_SWAP_CACHE ? memory.folios.nrPagesOf(folio) : 0;
}

/**
 * Slots count their entries and are free exactly when nothing needs them; folios in the swap cache and
 * their slots know each other; slots are charged to memcgs.
 *
 * Rules: INV-23, INV-24, SWP-02.
 *
 * @param entries swap entries by slot, counted from page tables and shared memory
 * @param violations gets a line for each violation: rule, where, what was found and expected
 */
export function checkSwap(memory: Memory, entries: Int32Array, violations: string[]): void {
  checkSlots(memory, entries, violations);
  checkCachedFolios(memory, violations);
  checkCharges(memory, violations);
}

function checkSlots(memory: Memory, entries: Int32Array, violations: string[]): void {
  const { swap, folios } = memory;
  const { counts, frames } = swap;
  let free = 0;
  for (let slot = NO_SLOT + 1; slot < swap.slots; slot++) {
    const expected = entries[slot] as number;
    const count = counts[slot] as number;
    const pfn = frames[slot] as number;
    const used = swap.isUsed(slot);
    if (count !== expected) {
      violations.push(`INV-23: swap slot ${slot}: count ${count}, expected ${expected} entries`);
    }
    if (!used) free += 1;
    if (used !== (count > 0 || pfn >= 0)) {
      const state = used ? "in use" : "free";
      violations.push(`INV-23: swap slot ${slot} is ${state} with count ${count} and frame ${pfn}`);
    }
    if (pfn < 0) continue;
    const folio = folios.folioOf(pfn);
    if (folios.swap[pfn] !== slot || swapCachePages(memory, folio) === 0) {
      violations.push(
        `INV-24: swap slot ${slot}: frame ${pfn} of folio ${folio} does not cache it`,
      );
    }
  }
  if (free === swap.free || swap.slots === 0) return;
  violations.push(`INV-23: ${swap.free} free swap slots, expected ${free}`);
}

function checkCachedFolios(memory: Memory, violations: string[]): void {
  const { swap, folios } = memory;
  for (let folio = 0; folio < folios.nrPages;) {
    if ((folios.flags[folio] as number) & PG_BUDDY) {
      folio += 1 << (folios.order[folio] as number);
      continue;
    }
    const pages = folios.nrPagesOf(folio);
    const first = folios.swap[folio] as number;
    for (let i = 0; i < swapCachePages(memory, folio); i++) {
      if (folios.swap[folio + i] === first + i && swap.frames[first + i] === folio + i) continue;
      violations.push(`INV-24: folio ${folio}: swap slot ${first + i} does not point to page ${i}`);
    }
    if (swapCachePages(memory, folio) > 0 && first % pages !== 0) {
      violations.push(
        `INV-24: folio ${folio} of ${pages} pages: swap slot ${first} is not aligned`,
      );
    }
    folio += pages;
  }
}

/** Slots in use are charged to the memcg that swapped out and to all above it but the root. */
function checkCharges(memory: Memory, violations: string[]): void {
  const { swap, memcgs, root } = memory;
  const charged = new Map<number, number>();
  for (let slot = NO_SLOT + 1; slot < swap.slots; slot++) {
    if (!swap.isUsed(slot)) continue;
    let memcg = memcgs[swap.memcgs[slot] as number] ?? null;
    for (; memcg !== null && memcg !== root; memcg = memcg.parent) {
      charged.set(memcg.index, (charged.get(memcg.index) ?? 0) + 1);
    }
  }
  for (const memcg of memcgs) {
    if (memcg === null || memcg === root) continue;
    const expected = charged.get(memcg.index) ?? 0;
    if (memcg.swap.usage === expected) continue;
    violations.push(
      `SWP-03: memcg ${memcg.path}: ${memcg.swap.usage} slots charged, expected ${expected}`,
    );
  }
}
