import {
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type Mm,
  NIL,
  VM_SHARED,
} from "@lrugen/mm-core";
import { checkAllocator } from "@lrugen/mm-core/check";
import fc from "fast-check";
import { checkMappings } from "../../src/check/index.ts";
import type { Advice } from "../../src/index.ts";
import { entryAt } from "../describe-mm.ts";
import { BASE, READ_WRITE } from "../machine.ts";
import { createReclaimMachine, type ReclaimMachine } from "../reclaim-machine.ts";
import { exitProcess, forkProcess, MAX_PROCESSES, type Process } from "./processes.ts";

/** Private pages, then shared ones. */
const PRIVATE = 64;
const SPACE = 96;
/** Few slots, so that swap runs out. */
const SWAP_PAGES = 80;

/** One thing that happens; `process` picks one of those alive. */
export interface SwapStep {
  readonly op:
    | "store"
    | "read"
    | "fork"
    | "exit"
    | "order"
    | "limit"
    | "drain"
    | Advice
    | "mlock"
    | "munlock";
  readonly process: number;
  readonly first: number;
  readonly count: number;
  readonly byte: number;
}

const op = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("store" as const, "read" as const, "pageout" as const) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "fork" as const,
      "exit" as const,
      "willneed" as const,
      "dontneed" as const,
      "cold" as const,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "order" as const,
      "limit" as const,
      "drain" as const,
      "mlock" as const,
      "munlock" as const,
      "populate_write" as const,
    ),
  },
);

export const swapSteps: fc.Arbitrary<SwapStep[]> = fc.array(
  fc.record({
    op,
    process: fc.nat(MAX_PROCESSES - 1),
    first: fc.nat(SPACE - 1),
    count: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: SPACE })),
    byte: fc.oneof(fc.constant(0), fc.nat(254)),
  }),
  { maxLength: 50, size: "max" },
);

/**
 * Programs with private and shared memory on a small swap device, next to what each should read: bytes
 * by page, of the program for private pages, of all for shared ones.
 */
export class SwapHistory {
  readonly violations: string[] = [];
  private readonly machine: ReclaimMachine = createReclaimMachine(SWAP_PAGES);
  private readonly processes: Process[] = [];
  private readonly shared: Map<number, number> = new Map();

  constructor() {
    const task = this.machine.task();
    const { paging } = this.machine;
    paging.mmapAnon(task.mm as Mm, BASE, PRIVATE, READ_WRITE);
    paging.mmapAnon(task.mm as Mm, BASE + PRIVATE, SPACE - PRIVATE, READ_WRITE | VM_SHARED);
    this.processes.push({ task, written: new Map() });
  }

  /** Does one step and checks everything. */
  take(step: SwapStep): void {
    this.run(step, this.processes[step.process % this.processes.length]!);
    this.check();
  }

  /** Ends every program. @returns pages and slots that are still charged: none */
  finish(): number {
    while (this.processes.length > 0) exitProcess(this.machine, this.processes, 0);
    this.machine.batches.drainAll();
    this.check();
    const { memcg, paging } = this.machine;
    return memcg.charged + memcg.swap.usage + paging.swap.device.stored;
  }

  private run(step: SwapStep, who: Process): void {
    const { paging, batches, memcg } = this.machine;
    const end = Math.min(SPACE, step.first + step.count);
    const pages = end - step.first;
    switch (step.op) {
      case "store":
      case "read":
        for (let page = step.first; page < end; page++) this.access(step, who, page);
        break;
      case "fork":
        forkProcess(this.machine, this.processes, who);
        break;
      case "exit":
        if (this.processes.length > 1)
          exitProcess(this.machine, this.processes, step.process % this.processes.length);
        break;
      case "order":
        for (const order of [2, 3, 4]) {
          paging.thp.setSize(order, order === step.byte % 6 ? "always" : "never");
        }
        break;
      case "limit":
        memcg.swap.max = step.byte < 128 ? step.byte : Infinity;
        break;
      case "drain":
        batches.drainAll();
        break;
      case "mlock":
        paging.mlock(who.task, BASE + step.first, pages);
        break;
      case "munlock":
        paging.munlock(who.task, BASE + step.first, pages);
        break;
      default:
        this.advise(step.op, who, step.first, end);
    }
  }

  private access(step: SwapStep, who: Process, page: number): void {
    const { paging } = this.machine;
    const vpn = BASE + page;
    const isStore = step.op === "store";
    const result = isStore
      ? paging.store(who.task, vpn, step.byte)
      : paging.access(who.task, vpn, false);
    if (result !== 0) this.violations.push(`access to page ${page} ended in ${result}`);
    if (isStore) (page < PRIVATE ? who.written : this.shared).set(page, step.byte);
  }

  private advise(advice: Advice, who: Process, first: number, end: number): void {
    const result = this.machine.paging.madvise(who.task, BASE + first, end - first, advice);
    if (advice !== "dontneed") return;
    // VMA by VMA up to a locked one, which refuses.
    for (let page = first; page < Math.min(end, PRIVATE); page++) {
      const gone = entryAt(this.machine.memory, who.task.mm as Mm, page) === 0;
      if (result === 0 && !gone) this.violations.push(`page ${page} survived MADV_DONTNEED`);
      if (gone) who.written.delete(page);
    }
  }

  private check(): void {
    const { memory, mms, batches } = this.machine;
    this.violations.push(
      ...checkMappings(memory, mms, (folio) => batches.slotsOf(folio)),
      ...checkAllocator(memory),
    );
    for (const { task, written } of this.processes) {
      for (let page = 0; page < SPACE; page++) {
        const expected = (page < PRIVATE ? written : this.shared).get(page) ?? 0;
        const found =
          page < PRIVATE ? this.privateByte(task.mm as Mm, page) : this.sharedByte(page);
        if (found === expected) continue;
        this.violations.push(
          `mm ${task.mm?.id} has ${found} in page ${page}, expected ${expected}`,
        );
      }
    }
  }

  private privateByte(mm: Mm, page: number): number {
    const entry = entryAt(this.machine.memory, mm, page);
    if (entry === 0 || entry & ENTRY_SPECIAL) return 0;
    const at = entry >>> ENTRY_SHIFT;
    return entry & ENTRY_PRESENT ? this.frameByte(at) : this.slotByte(at);
  }

  private sharedByte(page: number): number {
    const { pageCache, files, folios } = this.machine.memory;
    const file = files[1]!;
    const index = page - PRIVATE;
    const folio = pageCache.lookup(file, index);
    if (folio !== NIL) return this.frameByte(folio + index - (folios.index[folio] as number));
    const slot = pageCache.swapSlot(file, index);
    return slot === 0 ? 0 : this.slotByte(slot);
  }

  private frameByte(pfn: number): number {
    return this.machine.memory.folios.contents[pfn] as number;
  }

  /** What a slot holds: in the frame that caches it, by its mark, or on the device. */
  private slotByte(slot: number): number {
    const { swap } = this.machine.memory;
    const pfn = swap.frames[slot] as number;
    if (pfn !== NIL) return this.frameByte(pfn);
    if (swap.zeroMarks[slot] === 1) return 0;
    const read = new Uint8Array(1);
    this.machine.paging.swap.device.read(slot, 1, read, 0);
    return read[0] as number;
  }
}
