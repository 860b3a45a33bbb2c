import { ENTRY_SHIFT, ENTRY_SPECIAL, type Mm, type Task, NotModelledError } from "@lrugen/mm-core";
import { checkAllocator } from "@lrugen/mm-core/check";
import { checkMappings } from "../../src/check/index.ts";
import { type Advice, FAULT_NONE, FAULT_OOM, FAULT_SIGSEGV } from "../../src/index.ts";
import { entryAt } from "../describe-mm.ts";
import { BASE, createMachine, type Machine, READ_WRITE } from "../machine.ts";
import {
  type AccessStep,
  type AdviseStep,
  MAX_PROCESSES,
  type RangeStep,
  SPACE,
  type Step,
} from "./steps.ts";

/** A program as it sees itself: which pages are mapped, and what it wrote last to each. */
interface Process {
  readonly task: Task;
  readonly mapped: Set<number>;
  readonly written: Map<number, number>;
}

/**
 * Runs a history and compares what every program sees with what it wrote, whoever shares its frames.
 * A frame's contents are one number, that of the last write to it; those of
 * frame 0, the zero page, stay 0.
 */
export class RandomHistory {
  readonly machine: Machine = createMachine();
  /** Everything that was found wrong. */
  readonly violations: string[] = [];
  private readonly contents: Int32Array;
  private processes: Process[] = [];
  private writes = 0;

  /** @param thpOrder size that every fault may use, null = small folios only */
  constructor(thpOrder: number | null) {
    if (thpOrder !== null) this.machine.paging.thp.setSize(thpOrder, "always");
    this.contents = new Int32Array(this.machine.memory.folios.nrPages);
    const task = this.machine.task();
    this.processes.push({ task, mapped: new Set(), written: new Map() });
    this.map(this.processes[0]!, 0, SPACE);
  }

  /** Does one step and checks the whole machine. */
  take(next: Step): void {
    this.run(next);
    this.check();
  }

  /** Ends every program: nothing may be left but the zero pages. */
  finish(): void {
    while (this.processes.length > 0) this.exit(0);
    this.machine.batches.drainAll();
    this.check();
  }

  /** Pages that some folio of a program holds. */
  get charged(): number {
    return this.machine.memcg.charged;
  }

  private run(next: Step): void {
    const { paging, memory, batches } = this.machine;
    switch (next.op) {
      case "size":
        paging.thp.setSize(next.order, next.mode);
        break;
      case "thp":
        paging.thp.setGlobal(next.mode);
        break;
      case "drain":
        batches.drain(memory.hw.cpus[next.cpu]!);
        break;
      case "fork":
        this.fork(this.pick(next.process));
        break;
      case "exit":
        if (this.processes.length > 1) this.exit(next.process % this.processes.length);
        break;
      default:
        this.runRange(this.pick(next.process), next);
    }
  }

  private pick(process: number): Process {
    return this.processes[process % this.processes.length]!;
  }

  private runRange(who: Process, next: AccessStep | RangeStep | AdviseStep): void {
    const { paging } = this.machine;
    const { first: from } = next;
    const end = Math.min(SPACE, from + next.count);
    switch (next.op) {
      case "map":
        this.map(who, from, end);
        break;
      case "unmap":
        this.unmap(who, from, end);
        break;
      case "mlock":
        this.copying(who, () => paging.mlock(who.task, BASE + from, end - from));
        break;
      case "munlock":
        paging.munlock(who.task, BASE + from, end - from);
        break;
      case "advise":
        this.copying(who, () => this.advise(who, from, end, next.advice));
        break;
      default:
        for (let page = from; page < end; page += next.stride) {
          this.access(who, page, next.op === "write");
        }
    }
  }

  /** Runs what may copy pages without a program seeing it, and lets the contents follow. */
  private copying(who: Process, action: () => void): void {
    const before = new Map<number, { readonly frame: number; readonly version: number }>();
    for (const page of who.written.keys()) {
      const frame = this.frameOf(who, page);
      before.set(page, { frame, version: this.contents[frame] as number });
    }
    action();
    for (const page of who.written.keys()) {
      const frame = this.frameOf(who, page);
      const was = before.get(page)!;
      if (frame !== was.frame) this.contents[frame] = was.version;
    }
  }

  private unmap(who: Process, from: number, end: number): void {
    this.machine.paging.munmap(who.task, BASE + from, end - from);
    for (let page = from; page < end; page++) {
      who.mapped.delete(page);
      who.written.delete(page);
    }
  }

  private advise(who: Process, from: number, end: number, advice: Advice): void {
    try {
      const result = this.machine.paging.madvise(who.task, BASE + from, end - from, advice);
      if (advice !== "dontneed") return;
      // Locked VMAs refuse it; what is gone is what no entry maps any more.
      for (let page = from; page < end; page++) {
        const gone = entryAt(this.machine.memory, who.task.mm as Mm, page) === 0;
        if (result === 0 && !gone) this.violations.push(`page ${page} survived MADV_DONTNEED`);
        if (gone) who.written.delete(page);
      }
    } catch (error) {
      if (!(error instanceof NotModelledError)) throw error;
    }
  }

  private map(who: Process, from: number, end: number): void {
    const { paging } = this.machine;
    const free = ![...who.mapped].some((page) => page >= from && page < end);
    const result = paging.mmapAnon(who.task.mm as Mm, BASE + from, end - from, READ_WRITE);
    if ((result === 0) !== free) this.violations.push(`mmap of [${from}, ${end}) said ${result}`);
    if (result !== 0) return;
    for (let page = from; page < end; page++) who.mapped.add(page);
  }

  private fork(who: Process): void {
    if (this.processes.length === MAX_PROCESSES) return;
    const task = this.machine.task(this.processes.length % 2);
    this.machine.paging.fork(who.task.mm as Mm, task.mm as Mm);
    const { mapped, written } = who;
    this.processes.push({ task, mapped: new Set(mapped), written: new Map(written) });
  }

  private exit(at: number): void {
    const [who] = this.processes.splice(at, 1);
    const mm = who!.task.mm as Mm;
    this.machine.mms.splice(this.machine.mms.indexOf(mm), 1);
    this.machine.paging.exitMm(who!.task, mm);
  }

  private access(who: Process, page: number, write: boolean): void {
    const { paging } = this.machine;
    const result = write
      ? paging.store(who.task, BASE + page, 1)
      : paging.access(who.task, BASE + page, false);
    const expected = who.mapped.has(page) ? FAULT_NONE : FAULT_SIGSEGV;
    if (result !== expected && !(result === FAULT_OOM && expected === FAULT_NONE)) {
      this.violations.push(`access to page ${page} ended in ${result}, expected ${expected}`);
    }
    if (result !== FAULT_NONE || !write) return;
    who.written.set(page, ++this.writes);
    this.contents[this.frameOf(who, page)] = this.writes;
  }

  /** The frame that a page is mapped to, 0 where there is none of its own. */
  private frameOf(who: Process, page: number): number {
    const { memory } = this.machine;
    const mm = who.task.mm as Mm;
    const entry = entryAt(memory, mm, page);
    if (entry === 0 || entry & ENTRY_SPECIAL) return 0;
    const leaf = memory.pageTables.pteSlot(mm.pgd, BASE + page) < 0;
    return (entry >>> ENTRY_SHIFT) + (leaf ? page % 512 : 0);
  }

  private check(): void {
    const { memory, mms, batches } = this.machine;
    const slots = batches.slots();
    this.violations.push(
      ...checkMappings(memory, mms, (folio) => slots.get(folio) ?? this.zeroReference(folio)),
      ...checkAllocator(memory),
    );
    for (const who of this.processes) {
      for (const [page, version] of who.written) {
        const seen = this.contents[this.frameOf(who, page)];
        if (seen === version) continue;
        this.violations.push(
          `mm ${who.task.mm?.id} reads ${seen} from page ${page}, wrote ${version}`,
        );
      }
    }
  }

  /** The huge zero folio is held by the machine itself: it has an order, but no mapping. */
  private zeroReference(folio: number): number {
    const { folios } = this.machine.memory;
    return folios.order[folio] === 9 && folios.mapping[folio] === 0 ? 1 : 0;
  }
}
