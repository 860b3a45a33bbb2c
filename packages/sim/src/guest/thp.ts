import { THP_SIZES, type ThpSize } from "../scenario/command.ts";
import type { Guest } from "./guest.ts";

/** Order of the smallest size, 16 kB. */
const FIRST_ORDER = 2;

/**
 * Enables one size of large folios for VMAs that ask for it, and no other; global `madvise`. The
 * first time this starts khugepaged, which begins by draining the batches of all CPUs and finds
 * nothing else to do.
 * @param size the size, or `never` for none
 */
export function setThpSize(guest: Guest, size: ThpSize | "never"): void {
  const { thp } = guest.system.paging;
  if (thp.global === "never") guest.system.memory.batches.drainAll();
  thp.setGlobal("madvise");
  for (const [i, name] of THP_SIZES.entries()) {
    thp.setSize(FIRST_ORDER + i, name === size ? "madvise" : "never");
  }
}
