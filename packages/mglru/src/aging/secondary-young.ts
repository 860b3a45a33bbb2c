import type { Mm } from "@lrugen/mm-core";

/**
 * mmu_notifier_clear_young(): every secondary MMU of the address space clears the accessed bits of
 * virtual pages [start, end), without a flush.
 * @returns whether any of them had one set
 * Source: PTE-04 step 4, S2-OBS-03, MMUN-10.
 */
export function notifiersClearYoung(mm: Mm, start: number, end: number): boolean {
  let young = false;
  for (const notifier of mm.notifiers) young = notifier.clearYoung(start, end) || young;
  return young;
}
