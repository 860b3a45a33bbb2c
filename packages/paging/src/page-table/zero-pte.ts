import {
  ENTRY_ACCESSED,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type Memory,
} from "@lrugen/mm-core";

/** A PTE that maps the shared zero page: special, read-only, young as every fresh entry (FLT-12, PT-04). */
export function zeroPte(memory: Memory): number {
  return (memory.zeroPfn << ENTRY_SHIFT) | ENTRY_PRESENT | ENTRY_ACCESSED | ENTRY_SPECIAL;
}
