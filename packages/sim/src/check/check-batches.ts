import { LRU_BATCH_NAMES } from "@lrugen/lru-cache";
import { FOLIO_BATCH_SIZE, PG_LRU } from "@lrugen/mm-core";
import type { System } from "../system/system.ts";

/**
 * Whether the folio batches at rest hold what they may.
 *
 * Rules: INV-11 (at most 30 folios), INV-12 (no large folio), INV-16 (an added folio waits in one
 * slot, and is on no LRU meanwhile).
 *
 * @returns one line for each violation: rule, where, what was found, what was expected
 */
export function checkBatches(system: System): string[] {
  const { folios } = system.memory;
  const violations: string[] = [];
  const added = new Set<number>();
  for (const { id } of system.hw.cpus) {
    for (const name of LRU_BATCH_NAMES) {
      const where = `cpu${id}.${name}`;
      const slots = system.batches.slots(id, name);
      if (slots.length >= FOLIO_BATCH_SIZE) {
        violations.push(`INV-11: ${where}: ${slots.length} folios, expected at most 30`);
      }
      for (const folio of slots) {
        if (folios.isLarge(folio)) {
          violations.push(`INV-12: ${where}: folio ${folio} is large, expected order 0`);
        }
        if (name !== "lru_add") continue;
        if (added.has(folio)) violations.push(`INV-16: ${where}: folio ${folio} waits twice`);
        if ((folios.flags[folio] as number) & PG_LRU) {
          violations.push(`INV-16: ${where}: folio ${folio} has PG_lru, expected it clear`);
        }
        added.add(folio);
      }
    }
  }
  return violations;
}
