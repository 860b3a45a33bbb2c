import { PTRS_PER_TABLE } from "@lrugen/mm-core";

/** Slot of the PTE of a virtual page in its PTE table. */
export function slotIn(table: number, vpn: number): number {
  return table * PTRS_PER_TABLE + (vpn % PTRS_PER_TABLE);
}
