import { VM_HUGEPAGE, VM_NOHUGEPAGE, VM_RAND_READ, VM_SEQ_READ } from "@lrugen/mm-core";

/** What madvise() may be told, the MADV_ name in lower case. */
export type Advice =
  | "normal"
  | "random"
  | "sequential"
  | "willneed"
  | "dontneed"
  | "free"
  | "hugepage"
  | "nohugepage"
  | "cold"
  | "pageout"
  | "populate_read"
  | "populate_write"
  | "collapse";

/** An advice that only changes the flags of a VMA: those it clears and those it sets. */
interface FlagAdvice {
  readonly clear: number;
  readonly set: number;
}

const READ_PATTERN = VM_RAND_READ | VM_SEQ_READ;

/** Source: VMA-03, VMA-08; mm/madvise.c:madvise_vma_behavior, mm/khugepaged.c:hugepage_madvise. */
export const FLAG_ADVICE: ReadonlyMap<string, FlagAdvice> = new Map([
  ["normal", { clear: READ_PATTERN, set: 0 }],
  ["random", { clear: READ_PATTERN, set: VM_RAND_READ }],
  ["sequential", { clear: READ_PATTERN, set: VM_SEQ_READ }],
  ["hugepage", { clear: VM_NOHUGEPAGE, set: VM_HUGEPAGE }],
  ["nohugepage", { clear: VM_HUGEPAGE, set: VM_NOHUGEPAGE }],
]);
