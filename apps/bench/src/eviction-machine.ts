import { type OpenFile, singleNode, Task, VM_READ, VM_WRITE } from "@lrugen/mm-core";
import { FAULT_NONE } from "@lrugen/paging";
import { System, systemFeatures } from "@lrugen/sim";

const FIRST_VPN = 0x1000_0000_0000 / 4096;
const MEMCG_ID = 28;
const PAGE_BYTES = 4096;
/** Frames beyond what is evicted: zones are whole blocks, and nobody may wake kswapd. */
const SPARE_SHARE = 16;
const BLOCK = 1024;
/** A byte that makes a page not all zeroes, so that it is written to swap. */
const SOME_BYTE = 1;

/** What a machine evicts: clean page cache that nobody maps, or anonymous memory, to zram. */
export type EvictedType = "file" | "anon";

/** One machine with order-0 folios of one type in a memcg, which are evicted by the debugfs command. */
export class EvictionMachine {
  private readonly system: System;
  private readonly task: Task;
  private readonly open: OpenFile;
  private readonly type: EvictedType;
  private readonly pages: number;

  constructor(type: EvictedType, pages: number) {
    this.type = type;
    this.pages = pages;
    const frames = Math.ceil((pages * (1 + 1 / SPARE_SHARE)) / BLOCK) * BLOCK + 8 * BLOCK;
    this.system = new System({
      features: systemFeatures(),
      nodes: singleNode(frames),
      swapPages: 2 * pages,
    });
    const { hw, memory, mglru, paging } = this.system;
    const memcg = memory.createMemcg(memory.root, MEMCG_ID, "t");
    const mm = memory.createMm(memcg);
    mglru.mmAdd(mm, memcg);
    this.task = new Task(hw.cpus[0]!, mm);
    this.open = paging.openFile(memory.createFile({ name: "F", pages }));
    paging.fadvise(this.task, this.open, 0, 0, "random");
    const error = paging.mmapAnon(mm, FIRST_VPN, pages, VM_READ | VM_WRITE);
    if (error !== 0) throw new Error("the mapping could not be made");
  }

  /** Brings everything in and ages it until it is old: all in the oldest generations, none young. */
  fill(): void {
    if (this.type === "anon") this.writeAll();
    else this.readAll();
    this.system.batches.drain(this.task.cpu);
    for (let i = 0; i < 4; i++) this.command(`+ ${MEMCG_ID} 0 ${this.maxSeq}`);
  }

  /** Frees what is swapped out, so that the next fill begins anew. */
  reset(): void {
    if (this.type === "anon") {
      this.system.paging.madvise(this.task, FIRST_VPN, this.pages, "dontneed");
    }
  }

  /** Pages of the type that are in memory. */
  get resident(): number {
    return this.type === "anon" ? this.task.mm!.anonPages : this.open.mapping.cachedPages;
  }

  /** Evicts so many pages of the type, whatever their generation. */
  evict(pages: number): void {
    const swappiness = this.type === "anon" ? "max" : "0";
    this.command(`- ${MEMCG_ID} 0 ${this.maxSeq - 2} ${swappiness} ${pages}`);
  }

  private get maxSeq(): number {
    return this.system.memory.memcgById(MEMCG_ID)!.lruvecs[0]!.lrugen.maxSeq;
  }

  private command(text: string): void {
    if (this.system.mglru.debugfs.write(this.task.cpu, text) < 0)
      throw new Error(`failed: ${text}`);
  }

  private writeAll(): void {
    const { paging } = this.system;
    for (let page = 0; page < this.pages; page++) {
      if (paging.store(this.task, FIRST_VPN + page, SOME_BYTE) !== FAULT_NONE) {
        throw new Error("a write failed");
      }
    }
  }

  private readAll(): void {
    for (let page = 0; page < this.pages; page++) {
      this.system.paging.readFile(this.task, this.open, page * PAGE_BYTES, PAGE_BYTES);
    }
  }
}
