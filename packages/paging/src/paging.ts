// @hot
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_WRITE,
  FILE_CONTENTS,
  type FileMapping,
  type Memcg,
  type Memory,
  type Mm,
  type OpenFile,
  type PageTables,
  type Task,
  VM_SHARED,
} from "@lrugen/mm-core";
import { Charge } from "./charge/charge.ts";
import { MemcgLimits } from "./charge/limits.ts";
import { offlineMemcg, onlineMemcg } from "./charge/offline.ts";
import { FAULT_NONE, FAULT_OOM } from "./fault/fault-codes.ts";
import { FaultHandler } from "./fault/fault-handler.ts";
import { FileIo } from "./file/file-io.ts";
import { Filemap } from "./file/filemap.ts";
import { Fork } from "./fork/fork.ts";
import { Populate } from "./gup/populate.ts";
import type { Advice } from "./madvise/advice.ts";
import { FolioWalk } from "./madvise/folio-walk.ts";
import { Madvise } from "./madvise/madvise.ts";
import { FolioMaps } from "./mapping/folio-maps.ts";
import { Mlock } from "./mlock/mlock.ts";
import { Swap } from "./swap/swap.ts";
import { FolioReclaim } from "./reclaim/folio-reclaim.ts";
import { Reclaimer } from "./reclaim/reclaimer.ts";
import { PmdSplit } from "./thp/split-pmd.ts";
import { ThpConfig } from "./thp/thp-config.ts";
import { MapRegion, TASK_SIZE_PAGES } from "./vma/map.ts";
import { ModifyVma } from "./vma/modify-vma.ts";
import { SharedMemory } from "./vma/shared-memory.ts";
import { Unmap } from "./vma/unmap.ts";
import type { Flusher } from "./writeback/flusher.ts";
import { UnmapFile } from "./zap/unmap-file.ts";
import { Zap } from "./zap/zap.ts";

const SHARED = VM_SHARED;
const PRESENT = ENTRY_PRESENT;
const PRESENT_WRITE = ENTRY_PRESENT | ENTRY_WRITE;
const ACCESSED = ENTRY_ACCESSED;
const ACCESSED_DIRTY = ENTRY_ACCESSED | ENTRY_DIRTY;
const LEAF = ENTRY_LEAF;
const FILE_DATA = FILE_CONTENTS;
const SHIFT = ENTRY_SHIFT;
const NONE = FAULT_NONE;
const OOM = FAULT_OOM;
/** Faults of one access after which something must be wrong. */
const MAX_FAULTS = 1000;
/** Virtual pages below one PMD table. */
const PAGES_PER_GIB = 262_144;
const TASK_SIZE = TASK_SIZE_PAGES;

/**
 * The paths of memory management that need no policy: page faults, copy on write, fork, unmapping,
 * mlock and madvise of anonymous memory and of files, and what programs do to files.
 *
 * Addresses are virtual page numbers (vpn), lengths are pages. What a program may do wrong comes back
 * as a FAULT_* code or a negative errno.
 */
export class Paging {
  /** Which orders a fault may use; may be changed at any time. */
  readonly thp: ThpConfig = new ThpConfig();
  /** Swap slots, the folios that cache them, and the device. */
  readonly swap: Swap;
  /** Pays for memory, reclaims and kills: memory.max and the rest. */
  readonly charge: Charge;
  /** memory.max and memory.high of memcgs, as they are written. */
  readonly limits: MemcgLimits;
  /** Frees, unmaps and splits single folios. */
  readonly folioReclaim: FolioReclaim;
  private readonly files: FileIo;
  private readonly entries: Int32Array;
  private readonly pageTables: PageTables;
  private readonly memory: Memory;
  private readonly regions: MapRegion;
  private readonly faults: FaultHandler;
  private readonly forks: Fork;
  private readonly unmap: Unmap;
  private readonly locks: Mlock;
  private readonly advices: Madvise;

  /** @param memory the machine; its `install` must have been called before the first access */
  constructor(memory: Memory) {
    const maps = new FolioMaps(memory);
    this.charge = new Charge(memory);
    const { charge } = this;
    this.limits = new MemcgLimits(charge);
    const filemap = new Filemap(memory, charge);
    this.swap = new Swap(memory, filemap, charge);
    const pmdSplit = new PmdSplit(memory, maps, filemap, charge.kernel);
    const zap = new Zap(memory, maps, pmdSplit, filemap, charge.kernel, this.swap.cache);
    const modify = new ModifyVma(memory, pmdSplit, charge.kernel);
    this.memory = memory;
    this.pageTables = memory.pageTables;
    this.entries = memory.pageTables.entries;
    this.files = new FileIo(memory, filemap, new UnmapFile(zap), this.swap.shmem);
    const { readahead, truncate } = this.files;
    const sharedMemory = new SharedMemory(memory, truncate);
    this.regions = new MapRegion(modify, sharedMemory);
    this.faults = new FaultHandler(memory, maps, this.thp, pmdSplit, this.files, charge, this.swap);
    this.forks = new Fork(memory, maps, charge.kernel);
    this.unmap = new Unmap(memory, zap, modify, sharedMemory, charge.kernel);
    const populate = new Populate(memory, this.faults, filemap);
    this.locks = new Mlock(memory, modify, populate);
    this.folioReclaim = new FolioReclaim(memory, { maps, filemap, pmdSplit, swap: this.swap });
    memory.reclaimer = new Reclaimer(memory, {
      folios: this.folioReclaim,
      swap: this.swap.cache,
      marks: charge.reclaim.marks,
      oom: charge.oom,
      flusher: this.files.flusher,
    });
    const folioWalk = new FolioWalk(memory, maps, this.folioReclaim.split);
    this.advices = new Madvise(memory, {
      modify,
      zap,
      populate,
      folioWalk,
      readahead,
      swap: this.swap,
      reclaim: this.folioReclaim.pages,
    });
  }

  /** The huge zero folio, NIL until a read fault needs it. The machine itself holds one reference. */
  get hugeZeroFolio(): number {
    return this.faults.hugeZero.folio;
  }

  /**
   * One access of the CPU to a virtual page of the task's address space. There is no TLB: each
   * access sets the accessed bit of the entries it uses, and a write the dirty bit (PT-03, PT-05).
   * What the entries do not allow is a page fault.
   * @returns FAULT_NONE, or why the access failed
   */
  access(task: Task, vpn: number, write: boolean): number {
    return this.walk(task.mm as Mm, vpn, write) ? NONE : this.fault(task, vpn, write);
  }

  /**
   * A write access that stores a byte, 0..255, in a page: all accesses to a page mean the same byte of
   * it. What pages hold shows only in whether they are all zeroes when they are swapped out (SWP-09).
   * @returns as access
   */
  store(task: Task, vpn: number, byte: number): number {
    const result = this.access(task, vpn, true);
    if (result !== NONE) return result;
    const mm = task.mm as Mm;
    const page = vpn - mm.lastGib * PAGES_PER_GIB;
    const pmd = this.entries[mm.lastPmdTable * 512 + (page >> 9)] as number;
    const pfn =
      pmd & LEAF
        ? (pmd >>> SHIFT) + (page & 511)
        : (this.entries[(pmd >>> SHIFT) * 512 + (page & 511)] as number) >>> SHIFT;
    const { contents } = this.memory.folios;
    if (contents[pfn] !== FILE_DATA) contents[pfn] = Math.min(byte, FILE_DATA - 1);
    return NONE;
  }

  /** mkdir() of a memcg, its counters charged to its parent; see onlineMemcg. */
  createMemcg(task: Task, parent: Memcg, id: number, name: string): Memcg {
    return onlineMemcg(this.memory, this.charge, task, parent, id, name);
  }

  /** rmdir() of a memcg; see offlineMemcg. */
  removeMemcg(task: Task, memcg: Memcg): number {
    return offlineMemcg(this.memory, this.charge, task, memcg);
  }

  /** Writes dirty files back: wake() it, and run() it where time passes. */
  get flusher(): Flusher {
    return this.files.flusher;
  }

  /** open(); see FileIo.open. With a task its memcg pays for the descriptor. */
  openFile(file: FileMapping, task?: Task): OpenFile {
    const openFile = this.files.open(file);
    if (task !== undefined) this.charge.kernel.chargeFile(task, openFile);
    return openFile;
  }

  /** close(): of a descriptor; mappings keep the file open. */
  closeFile(task: Task, openFile: OpenFile): void {
    this.charge.kernel.putFile(task.cpu, openFile);
  }

  /** pread(); see FileRead.read. */
  readFile(task: Task, openFile: OpenFile, firstByte: number, bytes: number): number {
    const done = this.files.read.read(task, openFile, firstByte, bytes);
    this.charge.overHigh.returnToUser(task);
    return done;
  }

  /** pwrite(); see FileWrite.write. */
  writeFile(task: Task, openFile: OpenFile, firstByte: number, bytes: number): number {
    const done = this.files.write.write(task, openFile, firstByte, bytes);
    this.charge.overHigh.returnToUser(task);
    return done;
  }

  /** fsync(); see FileIo.fsync. */
  fsync(task: Task, openFile: OpenFile): number {
    return this.files.fsync(task, openFile);
  }

  /** posix_fadvise(); see Fadvise.advise. */
  fadvise(
    task: Task,
    openFile: OpenFile,
    firstByte: number,
    bytes: number,
    advice: string,
  ): number {
    return this.files.fadvise.advise(task, openFile, firstByte, bytes, advice);
  }

  /** truncate() to a number of pages; see Truncate.truncate. */
  truncate(task: Task, file: FileMapping, pages: number): number {
    return this.files.truncate.truncate(task.cpu, file, pages);
  }

  /** The file vanishes under its users; see Truncate.vanish. */
  vanish(task: Task, file: FileMapping): void {
    this.files.truncate.vanish(task.cpu, file);
  }

  /** mmap() of anonymous memory, private or, with VM_SHARED, shared; see MapRegion.anon. */
  mmapAnon(mm: Mm, start: number, pages: number, flags: number): number {
    const error = this.regions.anon(mm, start, pages, flags);
    if (error !== 0) return error;
    this.charge.kernel.mapped(mm, start);
    if (flags & SHARED) this.charge.kernel.madeSharedMemory(mm, start);
    return 0;
  }

  /** mmap() of a file, private or, with VM_SHARED, shared, from its page `pgoff` on; see MapRegion.file. */
  mmapFile(
    mm: Mm,
    start: number,
    pages: number,
    flags: number,
    openFile: OpenFile,
    pgoff: number,
  ): number {
    const error = this.regions.file(mm, start, pages, flags, openFile, pgoff);
    if (error === 0) this.charge.kernel.mapped(mm, start);
    return error;
  }

  /** munmap(); see Unmap.munmap. */
  munmap(task: Task, start: number, pages: number): number {
    return this.unmap.munmap(task.cpu, task.mm as Mm, start, pages);
  }

  /** mlock(); see Mlock.mlock. */
  mlock(task: Task, start: number, pages: number): number {
    return this.locks.mlock(task, start, pages);
  }

  /** munlock(); see Mlock.munlock. */
  munlock(task: Task, start: number, pages: number): number {
    return this.locks.munlock(task, start, pages);
  }

  /** madvise(); see Madvise.advise. */
  madvise(task: Task, start: number, pages: number, advice: Advice): number {
    const error = this.advices.advise(task, start, pages, advice);
    this.charge.overHigh.returnToUser(task);
    return error;
  }

  /** fork(): fills the child's address space, made by Memory.createMm; see Fork.dupMmap. */
  fork(parent: Mm, child: Mm): void {
    this.forks.dupMmap(parent, child);
  }

  /**
   * The last user of an address space is gone: it is torn down first, and then leaves the mm list
   * (CSW-35). A task that ran in it has none afterwards.
   */
  exitMm(task: Task, mm: Mm): void {
    this.unmap.exitMmap(task.cpu, mm);
    this.charge.oom.exited(mm);
    this.memory.lru.mglru.mmDel(mm);
    if (task.mm === mm) task.mm = null;
  }

  /**
   * The access faults, and is repeated once the page is there. On its way out of the kernel the task
   * may reclaim for memory.high, and what it just got with it: then it faults again. Where nothing else
   * can be reclaimed that never ends, in the kernel too; here it ends with FAULT_OOM.
   */
  private fault(task: Task, vpn: number, write: boolean): number {
    const mm = task.mm as Mm;
    for (let attempt = 0; attempt < MAX_FAULTS; attempt++) {
      const result = this.faults.user(task, vpn, write);
      this.charge.overHigh.returnToUser(task);
      if (result !== NONE) return result;
      if (this.walk(mm, vpn, write)) return NONE;
      if (mm.oomVictim) return OOM;
    }
    return OOM;
  }

  /** The hardware's walk. @returns false = page fault */
  private walk(mm: Mm, vpn: number, write: boolean): boolean {
    const { entries } = this;
    let page = vpn - mm.lastGib * PAGES_PER_GIB;
    if (page < 0 || page >= PAGES_PER_GIB) {
      if (!this.cachePmdTable(mm, vpn)) return false;
      page = vpn - mm.lastGib * PAGES_PER_GIB;
    }
    const table = mm.lastPmdTable;
    let slot = table * 512 + (page >> 9);
    let entry = entries[slot] as number;
    if ((entry & PRESENT) === 0) return false;
    if ((entry & LEAF) === 0) {
      if ((entry & ACCESSED) === 0) entries[slot] = entry | ACCESSED;
      slot = (entry >>> SHIFT) * 512 + (page & 511);
      entry = entries[slot] as number;
    }
    const needed = write ? PRESENT_WRITE : PRESENT;
    if ((entry & needed) !== needed) return false;
    const set = write ? ACCESSED_DIRTY : ACCESSED;
    if ((entry & set) !== set) entries[slot] = entry | set;
    return true;
  }

  /** Looks the PMD table of a page's 1 GiB up. @returns false = there is none */
  private cachePmdTable(mm: Mm, vpn: number): boolean {
    if (vpn < 0 || vpn >= TASK_SIZE) return false;
    const gib = (vpn / PAGES_PER_GIB) | 0;
    const table = this.pageTables.pmdTable(mm.pgd, gib);
    if (table === 0) return false;
    mm.lastGib = gib;
    mm.lastPmdTable = table;
    return true;
  }
}
