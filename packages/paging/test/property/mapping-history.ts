import {
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type FileMapping,
  type Mm,
  NIL,
  NotModelledError,
  type OpenFile,
  type Task,
} from "@lrugen/mm-core";
import { checkAllocator } from "@lrugen/mm-core/check";
import { FAULT_NONE, FAULT_OOM, FAULT_SIGBUS, FAULT_SIGSEGV } from "../../src/index.ts";
import { openFileOf } from "../../src/vma/file-vmas.ts";
import { entryAt } from "../describe-mm.ts";
import { BASE, createMachine, type Machine } from "../machine.ts";
import { PRIVATE, SHARED, violationsOf } from "../mapped-machine.ts";
import {
  type AccessStep,
  type AdviseStep,
  FILE_PAGES,
  type FileStep,
  type MapStep,
  MAX_PROGRAMS,
  SPACE,
  type Step,
} from "./mapping-steps.ts";

/** What a program believes of one of its pages. */
interface Page {
  readonly file: FileMapping | null;
  /** Page of the file. */
  readonly index: number;
  readonly shared: boolean;
  /** What it wrote last to its own copy. */
  own: number | undefined;
}

interface Program {
  readonly task: Task;
  readonly pages: Map<number, Page>;
}

/**
 * Runs a history of mappings of files, shared and private memory, and compares what every program
 * sees with what was written. The contents of a page are one number, that of the last write to it.
 * What a program sees is asked of the frame that its page table names, whoever else uses the frame.
 */
export class MappingHistory {
  readonly machine: Machine = createMachine(8192);
  /** Everything that was found wrong. */
  readonly violations: string[] = [];
  private readonly programs: Program[] = [];
  private readonly fds: OpenFile[];
  /** What each page of each file holds, by file number. */
  private readonly truth = new Map<number, Map<number, number>>();
  /** What each frame of anonymous memory holds. */
  private readonly contents: Int32Array;
  private writes = 0;

  constructor() {
    const { memory, paging } = this.machine;
    this.contents = new Int32Array(memory.folios.nrPages);
    this.fds = FILE_PAGES.map((pages, i) => {
      return paging.openFile(memory.createFile({ name: `F${i}`, pages }));
    });
    this.programs.push({ task: this.machine.task(), pages: new Map() });
  }

  /** Does one step and checks the whole machine. */
  take(next: Step): void {
    this.run(next);
    this.check();
  }

  /** Ends every program and drops every file: nothing may be left. */
  finish(): void {
    const { paging, memory, batches } = this.machine;
    const task = this.machine.task();
    while (this.programs.length > 0) this.exit(0);
    for (const { mapping } of this.fds) paging.vanish(task, mapping);
    paging.exitMm(task, task.mm as Mm);
    this.machine.mms.length = 0;
    batches.drainAll();
    this.check();
    if (memory.files.length > 3 && memory.files.slice(3).some((file) => file !== null)) {
      this.violations.push("shared memory is left that nobody maps");
    }
  }

  /** Pages that some folio of a program or file holds. */
  get charged(): number {
    return this.machine.memcg.charged;
  }

  private run(next: Step): void {
    const who = this.programs[next.program % this.programs.length]!;
    const { paging, batches } = this.machine;
    switch (next.op) {
      case "fork":
        this.fork(who);
        break;
      case "exit":
        if (this.programs.length > 1) this.exit(this.programs.indexOf(who));
        break;
      case "drain":
        batches.drain(who.task.cpu);
        break;
      case "read":
      case "write":
        this.accessRange(who, next);
        break;
      case "advise":
        this.copying(who, () => this.advise(who, next));
        break;
      case "unmap":
        paging.munmap(who.task, BASE + next.first, next.count);
        for (let i = 0; i < next.count; i++) who.pages.delete(next.first + i);
        break;
      case "mlock":
        this.copying(who, () => paging.mlock(who.task, BASE + next.first, next.count));
        break;
      case "munlock":
        paging.munlock(who.task, BASE + next.first, next.count);
        break;
      case "pread":
      case "pwrite":
      case "truncate":
      case "fsync":
      case "drop":
        this.fileStep(who, next);
        break;
      default:
        this.map(who, next);
    }
  }

  private map(who: Program, next: MapStep): void {
    const { paging } = this.machine;
    const { op, first, count, pgoff } = next;
    const mm = who.task.mm as Mm;
    const shared = op === "shm" || op === "shared";
    const flags = shared ? SHARED : PRIVATE;
    const fd = this.fds[next.file] as OpenFile;
    const anon = op === "anon" || op === "shm";
    const result = anon
      ? paging.mmapAnon(mm, BASE + first, count, flags)
      : paging.mmapFile(mm, BASE + first, count, flags, fd, pgoff);
    if (result !== 0) return;
    const vma = mm.vmaAt(BASE + first)!;
    const file = vma.file === null ? null : openFileOf(vma).mapping;
    const offset = anon ? 0 : pgoff;
    for (let i = 0; i < count; i++) {
      who.pages.set(first + i, { file, index: offset + i, shared, own: undefined });
    }
  }

  private accessRange(who: Program, next: AccessStep): void {
    for (let page = next.first; page < next.first + next.count; page += next.stride) {
      this.access(who, page, next.op === "write");
    }
  }

  private access(who: Program, page: number, write: boolean): void {
    const result = this.machine.paging.access(who.task, BASE + page, write);
    const known = who.pages.get(page);
    let expected = FAULT_NONE;
    if (known === undefined) expected = FAULT_SIGSEGV;
    else if (known.file !== null && known.index >= known.file.pages) expected = FAULT_SIGBUS;
    if (result !== expected && (result !== FAULT_OOM || expected !== FAULT_NONE)) {
      this.violations.push(`access to page ${page} ended in ${result}, expected ${expected}`);
    }
    if (result !== FAULT_NONE || !write || known === undefined) return;
    const version = ++this.writes;
    if (known.file !== null && known.shared) {
      this.truthOf(known.file).set(known.index, version);
    } else {
      known.own = version;
      this.contents[this.frameOf(who, page)] = version;
    }
  }

  /** Runs what may copy private pages without a program seeing it, and lets the contents follow. */
  private copying(who: Program, action: () => void): void {
    const before = new Map<number, readonly [frame: number, seen: number]>();
    for (const page of who.pages.keys()) {
      before.set(page, [this.frameOf(who, page), this.expected(who, page)]);
    }
    action();
    for (const [page, [frame, seen]] of before) {
      const now = this.frameOf(who, page);
      const known = who.pages.get(page)!;
      if (known.shared || now === frame || now <= 0 || this.isCached(now)) continue;
      this.contents[now] = seen;
      known.own = seen;
    }
  }

  private advise(who: Program, next: AdviseStep): void {
    const { first, count, advice } = next;
    try {
      this.machine.paging.madvise(who.task, BASE + first, count, advice);
    } catch (error) {
      if (!(error instanceof NotModelledError)) throw error;
    }
    if (advice === "dontneed") this.forgetLost(who, first, first + count);
  }

  /** Copies that no entry maps any more are gone. */
  private forgetLost(who: Program, first: number, end: number): void {
    for (let page = first; page < end; page++) {
      const known = who.pages.get(page);
      if (known !== undefined && this.frameOf(who, page) === 0) known.own = undefined;
    }
  }

  private fileStep(who: Program, next: FileStep): void {
    const { paging } = this.machine;
    const { op, first, count } = next;
    const fd = this.fds[next.file] as OpenFile;
    const { mapping } = fd;
    if (op === "pread") paging.readFile(who.task, fd, first * 4096, count * 4096);
    else if (op === "fsync") paging.fsync(who.task, fd);
    else if (op === "drop") paging.fadvise(who.task, fd, first * 4096, count * 4096, "dontneed");
    else if (op === "pwrite") this.writeFile(who, fd, first, count);
    else {
      paging.truncate(who.task, mapping, first);
      for (const index of this.truthOf(mapping).keys()) {
        if (index >= first) this.truthOf(mapping).delete(index);
      }
      for (const program of this.programs) this.forgetLost(program, 0, SPACE + 1024);
    }
  }

  private writeFile(who: Program, fd: OpenFile, first: number, count: number): void {
    const written = this.machine.paging.writeFile(who.task, fd, first * 4096, count * 4096);
    const version = ++this.writes;
    for (let i = 0; i < written / 4096; i++) this.truthOf(fd.mapping).set(first + i, version);
  }

  private fork(who: Program): void {
    if (this.programs.length === MAX_PROGRAMS) return;
    const task = this.machine.task(this.programs.length % 2);
    this.machine.paging.fork(who.task.mm as Mm, task.mm as Mm);
    const pages = new Map([...who.pages].map(([page, known]) => [page, { ...known }]));
    this.programs.push({ task, pages });
  }

  private exit(at: number): void {
    const [who] = this.programs.splice(at, 1);
    const mm = who!.task.mm as Mm;
    this.machine.mms.splice(this.machine.mms.indexOf(mm), 1);
    this.machine.paging.exitMm(who!.task, mm);
  }

  private truthOf(file: FileMapping): Map<number, number> {
    const found = this.truth.get(file.id) ?? new Map<number, number>();
    this.truth.set(file.id, found);
    return found;
  }

  /** What a program should see in a page of its own. */
  private expected(who: Program, page: number): number {
    const known = who.pages.get(page)!;
    if (known.own !== undefined) return known.own;
    return known.file === null ? 0 : (this.truthOf(known.file).get(known.index) ?? 0);
  }

  private isCached(frame: number): boolean {
    const { memory } = this.machine;
    return memory.fileOf(memory.folios.folioOf(frame)) !== null;
  }

  /** The frame that a page is mapped to, 0 where there is none but the zero page. */
  private frameOf(who: Program, page: number): number {
    const { memory } = this.machine;
    const mm = who.task.mm as Mm;
    const entry = entryAt(memory, mm, page);
    if (entry === 0 || entry & ENTRY_SPECIAL) return 0;
    const leaf = memory.pageTables.pteSlot(mm.pgd, BASE + page) < 0;
    return (entry >>> ENTRY_SHIFT) + (leaf ? page % 512 : 0);
  }

  private check(): void {
    this.violations.push(...violationsOf(this.machine), ...checkAllocator(this.machine.memory));
    for (const who of this.programs) {
      for (const [page, known] of who.pages) this.checkPage(who, page, known);
    }
  }

  /** A mapped page shows the program what it should: its own copy, or the page of the file. */
  private checkPage(who: Program, page: number, known: Page): void {
    const { memory } = this.machine;
    const frame = this.frameOf(who, page);
    const name = `mm ${who.task.mm?.id}, page ${page}`;
    if (known.own === undefined && known.file !== null) {
      if (frame === 0) return;
      const folio = memory.pageCache.lookup(known.file, known.index);
      const offset = known.index - (memory.folios.index[folio] as number);
      if (folio !== NIL && folio + offset === frame) return;
      this.violations.push(`${name} maps frame ${frame}, expected page ${known.index} of its file`);
      return;
    }
    const seen = this.contents[frame];
    if (seen === (known.own ?? 0)) return;
    this.violations.push(`${name} reads ${seen}, wrote ${known.own}`);
  }
}
