import type { Cpu } from "@lrugen/hardware";
import type { Mm } from "../address-space/mm.ts";

/** The kernel's `current`: who runs a path, where, and inside what. */
export class Task {
  readonly cpu: Cpu;
  /** Address space; null for the controller and kernel threads. */
  mm: Mm | null;
  /** Inside a page fault of a VMA with recency (FLT-02). */
  inLruFault = false;
  /** PF_MEMALLOC: reclaiming already, so its own allocations are forced (CHG-20). */
  reclaiming = false;
  /** Pages charged above a memory.high that this task has to make up for (CHG-30). */
  overHigh = 0;

  /** Node that its memory policy prefers; without one that of its CPU, which is 0. */
  preferredNode = 0;

  constructor(cpu: Cpu, mm: Mm | null) {
    this.cpu = cpu;
    this.mm = mm;
  }
}
