import type { Mm } from "@lrugen/mm-core";

/** mmu_notifier_invalidate_range_start(): entries of [start, end) are about to change (MMUN-02). */
export function invalidateStart(mm: Mm, start: number, end: number): void {
  for (const notifier of mm.notifiers) notifier.invalidateStart(start, end);
}

/** mmu_notifier_invalidate_range_end(): they have changed. */
export function invalidateEnd(mm: Mm, start: number, end: number): void {
  for (const notifier of mm.notifiers) notifier.invalidateEnd(start, end);
}
