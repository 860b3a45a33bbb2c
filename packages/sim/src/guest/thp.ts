import type { ThpConfig } from "@lrugen/paging";
import { THP_SIZES, type ThpSize } from "../scenario/command.ts";

/** Order of the smallest size, 16 kB. */
const FIRST_ORDER = 2;

/**
 * Enables one size of large folios for VMAs that ask for it, and no other; global `madvise`.
 * @param size the size, or `never` for none
 */
export function setThpSize(thp: ThpConfig, size: ThpSize | "never"): void {
  thp.setGlobal("madvise");
  for (const [i, name] of THP_SIZES.entries()) {
    thp.setSize(FIRST_ORDER + i, name === size ? "madvise" : "never");
  }
}
