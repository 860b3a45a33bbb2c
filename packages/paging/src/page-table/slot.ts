// @hot
import { PTRS_PER_TABLE } from "@lrugen/mm-core";

const ENTRIES = PTRS_PER_TABLE;

/** Slot of the PTE of a virtual page in its PTE table. */
export function slotIn(table: number, vpn: number): number {
  // A virtual page number may be a double; a slot must not become one.
  return table * ENTRIES + ((vpn % ENTRIES) | 0);
}
