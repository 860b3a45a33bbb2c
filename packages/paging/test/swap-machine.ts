import { type Mm, PSWPIN, PSWPOUT, SWPIN_ZERO, SWPOUT_ZERO, type Task } from "@lrugen/mm-core";
import { checkMappings } from "../src/check/index.ts";
import { entryAt } from "./describe-mm.ts";
import { BASE, READ_WRITE } from "./machine.ts";
import { createReclaimMachine, type ReclaimMachine } from "./reclaim-machine.ts";

/** A machine with swap and one program with a region at BASE. */
export interface SwapMachine extends ReclaimMachine {
  readonly task0: Task;
  readonly mm: Mm;
  /** Swaps `count` pages from BASE + `first` out; they were written before. */
  readonly swapOut: (first: number, count: number, task?: Task) => void;
  /** The letter of each page: `s` swapped out, `.` nothing, `m` mapped, `w` mapped writable. */
  readonly letters: (first: number, count: number, mm?: Mm) => string;
  /** pswpout, swpout_zero, pswpin, swpin_zero. */
  readonly counters: () => number[];
  /** Everything the checkers find wrong. */
  readonly violations: () => string[];
}

/** @param flags more VM_* flags of the region */
export function createSwapMachine(pages: number, flags = 0, swapPages = 4096): SwapMachine {
  const machine = createReclaimMachine(swapPages);
  const { memory, paging, batches, mms } = machine;
  const task0 = machine.task();
  const mm = task0.mm as Mm;
  paging.mmapAnon(mm, BASE, pages, READ_WRITE | flags);
  const swapOut = (first: number, count: number, task = task0): void => {
    batches.drainAll();
    const result = paging.madvise(task, BASE + first, count, "pageout");
    if (result !== 0) throw new Error(`pageout returned ${result}`);
    batches.take();
  };
  const letter = (page: number, of: Mm): string => {
    const entry = entryAt(memory, of, page);
    if (entry === 0) return ".";
    if ((entry & 1) === 0) return "s";
    return entry & 2 ? "w" : "m";
  };
  return {
    ...machine,
    task0,
    mm,
    swapOut,
    letters: (first, count, of = mm) =>
      Array.from({ length: count }, (_, i) => letter(first + i, of)).join(""),
    counters: () =>
      [PSWPOUT, SWPOUT_ZERO, PSWPIN, SWPIN_ZERO].map((id) => memory.vmstat.values[id] as number),
    violations: () => checkMappings(memory, mms, (folio) => batches.slotsOf(folio)),
  };
}
