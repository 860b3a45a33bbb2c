import { ENTRY_PRESENT, ENTRY_SHIFT, ENTRY_SPECIAL, type Mm, NIL } from "@lrugen/mm-core";
import { checkAllocator } from "@lrugen/mm-core/check";
import { checkMappings } from "../../src/check/index.ts";
import { entryAt } from "../describe-mm.ts";
import { BASE, READ_WRITE } from "../machine.ts";
import { createReclaimMachine, type ReclaimMachine } from "../reclaim-machine.ts";
import { exitProcess, forkProcess, type Process } from "./processes.ts";

/** Pages of each program's region. */
export const SPACE = 1_024;

/** One thing that happens; `process` picks one of those alive, `first` and `count` are pages. */
export type ReclaimStep =
  | {
      readonly op: "write" | "read";
      readonly process: number;
      readonly first: number;
      readonly count: number;
      readonly stride: number;
    }
  | {
      readonly op: "cold" | "pageout" | "free" | "dontneed" | "mlock" | "munlock";
      readonly process: number;
      readonly first: number;
      readonly count: number;
    }
  | { readonly op: "fork" | "exit"; readonly process: number }
  | {
      readonly op: "shrink";
      readonly count: number;
      readonly ignore: boolean;
      readonly verdict: "keep" | "activate";
    }
  | { readonly op: "split deferred" };

/**
 * Runs a history with reclaim in between, and compares what every program would read with what it wrote.
 */
export class ReclaimHistory {
  readonly violations: string[] = [];
  readonly machine: ReclaimMachine;
  private readonly processes: Process[] = [];
  private bytes = 0;

  constructor(order: number | null, swapPages: number) {
    this.machine = createReclaimMachine(swapPages, 8_192);
    if (order !== null) this.machine.paging.thp.setSize(order, "always");
    const task = this.machine.task();
    this.machine.paging.mmapAnon(task.mm as Mm, BASE, SPACE, READ_WRITE);
    this.processes.push({ task, written: new Map() });
  }

  /** Does one step and checks the whole machine. */
  take(step: ReclaimStep): void {
    this.run(step);
    this.check();
  }

  /** Ends every program: nothing may be left. */
  finish(): void {
    while (this.processes.length > 0) exitProcess(this.machine, this.processes, 0);
    this.machine.batches.drainAll();
    this.check();
    const { memcg, memory } = this.machine;
    if (memcg.charged !== 0) this.violations.push(`${memcg.charged} pages are left at the end`);
    if (memory.swap.slots > 0 && memory.swap.free !== memory.swap.slots - 1) {
      this.violations.push(`INV-34: ${memory.swap.slots - 1 - memory.swap.free} slots are left`);
    }
  }

  private run(step: ReclaimStep): void {
    switch (step.op) {
      case "shrink":
        this.shrink(step.count, step.ignore, step.verdict);
        return;
      case "split deferred": {
        const { sc, memcg, paging } = this.machine;
        paging.folioReclaim.deferredSplit.scan(sc.task.cpu, memcg, 0, 32);
        return;
      }
      case "fork":
        forkProcess(this.machine, this.processes, this.pick(step.process));
        return;
      case "exit":
        if (this.processes.length > 1)
          exitProcess(this.machine, this.processes, step.process % this.processes.length);
        return;
      case "write":
      case "read":
        this.access(step);
        return;
      default:
        this.advise(step);
    }
  }

  private pick(process: number): Process {
    return this.processes[process % this.processes.length]!;
  }

  private access(step: Extract<ReclaimStep, { op: "write" | "read" }>): void {
    const { paging } = this.machine;
    const { task, written } = this.pick(step.process);
    const end = Math.min(SPACE, step.first + step.count);
    for (let page = step.first; page < end; page += step.stride) {
      this.bytes = (this.bytes % 254) + 1;
      const result =
        step.op === "write"
          ? paging.store(task, BASE + page, this.bytes)
          : paging.access(task, BASE + page, false);
      if (result !== 0) this.violations.push(`access to page ${page} ended in ${result}`);
      else if (step.op === "write") written.set(page, this.bytes);
    }
  }

  private advise(
    step: Extract<
      ReclaimStep,
      { op: "cold" | "pageout" | "free" | "dontneed" | "mlock" | "munlock" }
    >,
  ): void {
    const { paging } = this.machine;
    const { task, written } = this.pick(step.process);
    const pages = Math.min(SPACE, step.first + step.count) - step.first;
    if (step.op === "mlock") paging.mlock(task, BASE + step.first, pages);
    else if (step.op === "munlock") paging.munlock(task, BASE + step.first, pages);
    else {
      paging.madvise(task, BASE + step.first, pages, step.op);
      if (step.op !== "free" && step.op !== "dontneed") return;
      // Part of the range may be locked; what may be lost is not looked at until it is written again.
      for (let page = step.first; page < step.first + pages; page++) written.delete(page);
    }
  }

  /** Isolates folios from the cold end, reclaims them and puts the survivors back. */
  private shrink(count: number, ignore: boolean, verdict: "keep" | "activate"): void {
    const { memory, memcg, list, sc, reclaim } = this.machine;
    reclaim.onReferenced = verdict;
    memory.batches.drain(sc.task.cpu);
    const head = memcg.lruvecs[0]!.listHead;
    let isolated = 0;
    for (let i = 0; i < count && !memory.lists.isEmpty(head); i++) {
      const folio = memory.lists.tail(head);
      this.machine.isolate(folio);
      isolated += memory.folios.nrPagesOf(folio);
    }
    const before = memcg.charged;
    const freed = memory.reclaimer!.shrinkFolioList(sc, list, ignore);
    if (before - memcg.charged !== freed || freed > isolated) {
      this.violations.push(
        `INV-33: ${isolated} isolated, ${freed} reclaimed, ${before - memcg.charged} freed`,
      );
    }
    memory.putback.moveToLru(sc.task, list);
  }

  private check(): void {
    const { memory, mms, batches } = this.machine;
    const slots = batches.slots();
    const zero = this.machine.paging.hugeZeroFolio;
    this.violations.push(
      ...checkMappings(memory, mms, (folio) => (slots.get(folio) ?? 0) + (folio === zero ? 1 : 0)),
      ...checkAllocator(memory),
    );
    for (const { task, written } of this.processes) {
      for (const [page, byte] of written) {
        const seen = this.byteAt(task.mm as Mm, page);
        if (seen === byte) continue;
        this.violations.push(
          `INV-34: mm ${task.mm?.id} has ${seen} in page ${page}, wrote ${byte}`,
        );
      }
    }
  }

  /** What a program would read, wherever it is. */
  private byteAt(mm: Mm, page: number): number {
    const { memory, paging } = this.machine;
    const { contents } = memory.folios;
    const entry = entryAt(memory, mm, page);
    if (entry === 0) return -1;
    if (entry & ENTRY_PRESENT) {
      if (entry & ENTRY_SPECIAL) return 0;
      const leaf = memory.pageTables.pteSlot(mm.pgd, BASE + page) < 0;
      return contents[(entry >>> ENTRY_SHIFT) + (leaf ? page % 512 : 0)] as number;
    }
    const slot = entry >>> ENTRY_SHIFT;
    if (paging.swap.cache.lookup(slot) !== NIL)
      return contents[memory.swap.frames[slot] as number] as number;
    if (memory.swap.zeroMarks[slot] === 1) return 0;
    const page0 = new Uint8Array(1);
    paging.swap.device.read(slot, 1, page0, 0);
    return page0[0] as number;
  }
}
