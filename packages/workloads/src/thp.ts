import type { System } from "@lrugen/sim";

/** What a benchmark may set THP to: off, 2 MiB for everybody, or one folio size for everybody. */
export const THP_CHOICES = [
  "never",
  "always",
  "16kB",
  "32kB",
  "64kB",
  "128kB",
  "256kB",
  "512kB",
  "1024kB",
  "2048kB",
] as const;

/** One of `THP_CHOICES`. */
export type ThpChoice = (typeof THP_CHOICES)[number];

/** Order of the smallest size, 16 kB. */
const FIRST_ORDER = 2;

/**
 * Sets `/sys/kernel/mm/transparent_hugepage`: the global switch to `always` or `never`, or the
 * switch of one size to `always` and all others to `never`.
 * Source: FLT-10.
 */
export function chooseThp({ paging }: System, choice: ThpChoice): void {
  if (choice === "never" || choice === "always") {
    paging.thp.setGlobal(choice);
    return;
  }
  for (const [i, size] of THP_CHOICES.slice(2).entries()) {
    paging.thp.setSize(FIRST_ORDER + i, size === choice ? "always" : "never");
  }
}
