import {
  type FileMapping,
  type OpenFile,
  singleNode,
  Task,
  VM_READ,
  VM_SHARED,
} from "@lrugen/mm-core";
import { FAULT_NONE } from "@lrugen/paging";
import { System, systemFeatures } from "@lrugen/sim";

/** First virtual page of the mapping. */
const FIRST_VPN = 0x1000_0000_0000 / 4096;
const MEMCG_ID = 28;
const PAGE_BYTES = 4096;
/** Pages one fault of fault-around maps. */
export const FAULT_AROUND_PAGES = 16;
/** Frames beyond the file; zones are whole blocks. */
const SPARE_PAGES = 4096;

/** One machine with one task, one file, opened once and mapped once for reading. */
export class FileMachine {
  readonly pages: number;
  private readonly system: System;
  private readonly task: Task;
  private readonly file: FileMapping;
  private readonly open: OpenFile;
  /**
   * First virtual page of each fault-around window. They are beyond 2^31, so numbers on the heap: made
   * once, or each fault would seem to allocate what is its caller's argument. The null keeps the
   * engine from storing them unboxed.
   */
  private readonly windows: (number | null)[] = [null];

  /** @param pages size of the file */
  constructor(pages: number) {
    this.pages = pages;
    const frames = Math.ceil(pages / SPARE_PAGES) * SPARE_PAGES + SPARE_PAGES;
    this.system = new System({ features: systemFeatures(), nodes: singleNode(frames) });
    const { hw, memory, mglru, paging } = this.system;
    const memcg = memory.createMemcg(memory.root, MEMCG_ID, "t");
    const mm = memory.createMm(memcg);
    mglru.mmAdd(mm, memcg);
    this.task = new Task(hw.cpus[0]!, mm);
    this.file = memory.createFile({ name: "F", pages });
    this.open = paging.openFile(this.file);
    const error = paging.mmapFile(mm, FIRST_VPN, pages, VM_READ | VM_SHARED, this.open, 0);
    if (error !== 0) throw new Error("the file could not be mapped");
    for (let page = 0; page < pages; page += FAULT_AROUND_PAGES)
      this.windows.push(FIRST_VPN + page);
  }

  /** Pages of the file that are cached. */
  get cachedPages(): number {
    return this.file.cachedPages;
  }

  /** Reads [from, to) a page at a time. */
  read(from: number, to: number): void {
    const { paging } = this.system;
    for (let page = from; page < to; page++) {
      const bytes = paging.readFile(this.task, this.open, page * PAGE_BYTES, PAGE_BYTES);
      if (bytes !== PAGE_BYTES) throw new Error("a read came short");
    }
  }

  /** Touches one page of every fault-around window in [from, to). */
  touchWindows(from: number, to: number): void {
    const { paging } = this.system;
    for (let i = from / FAULT_AROUND_PAGES; i < to / FAULT_AROUND_PAGES; i++) {
      if (paging.access(this.task, this.windows[i + 1]!, false) !== FAULT_NONE) {
        throw new Error("a fault failed");
      }
    }
  }

  /** Forgets the mapping's PTEs, not the pages. */
  unmapPages(): void {
    this.system.paging.madvise(this.task, FIRST_VPN, this.pages, "dontneed");
  }

  /** Forgets the cached pages. */
  dropCache(): void {
    this.unmapPages();
    this.system.paging.fadvise(this.task, this.open, 0, 0, "dontneed");
    if (this.cachedPages !== 0) throw new Error("a page could not be dropped");
  }
}
