// @hot
import {
  type FileMapping,
  type FolioTable,
  type Memory,
  NIL,
  PG_RECLAIM,
  PGMAJFAULT,
  type Task,
  VM_RAND_READ,
  type Vma,
} from "@lrugen/mm-core";
import type { Filemap } from "../file/filemap.ts";
import type { Readahead } from "../file/readahead.ts";
import type { ShmemSwap } from "../swap/shmem-swap.ts";
import { openFileOf } from "../vma/file-vmas.ts";
import { FAULT_MAJOR, FAULT_OOM, FAULT_RETRY, FAULT_SIGBUS } from "./fault-codes.ts";

const NO_FOLIO = NIL;
const MARK = PG_RECLAIM;
const RAND_READ = VM_RAND_READ;
const MAJOR = FAULT_MAJOR;
const MAJOR_FAULTS = PGMAJFAULT;
const OOM = FAULT_OOM;
const RETRY = FAULT_RETRY;
const SIGBUS = FAULT_SIGBUS;

/**
 * Finds the page-cache folio that a fault needs, reading it from the device if it has to. Whatever
 * reads drops the mmap lock for it, once a fault: then the fault ends without a mapping and is taken
 * again.
 * Source: FLT-20, FLT-24; mm/filemap.c:filemap_fault; mm/shmem.c:shmem_fault.
 */
export class FilemapFault {
  /** Whether the folio that find() returned had to be swapped in: the fault is major. */
  hasRead = false;
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly filemap: Filemap;
  private readonly readahead: Readahead;
  private readonly shmem: ShmemSwap;

  constructor(memory: Memory, filemap: Filemap, readahead: Readahead, shmem: ShmemSwap) {
    this.memory = memory;
    this.folios = memory.folios;
    this.filemap = filemap;
    this.readahead = readahead;
    this.shmem = shmem;
  }

  /**
   * @param index page of the file
   * @param tried the fault was taken before, so the lock is kept and no mark is looked at
   * @returns the folio, or the negative of FAULT_* bits when there is none to map; `hasRead` says
   *   whether the folio that was returned had to be read
   */
  find(task: Task, vma: Vma, index: number, tried: boolean): number {
    const openFile = openFileOf(vma);
    const file = openFile.mapping;
    this.hasRead = false;
    if (file.gone || index >= file.pages) return -SIGBUS;
    if (file.shmem) return this.findShmem(task, vma, file, index);
    const found = this.filemap.lookup(file, index);
    if (found === NO_FOLIO) return this.read(task, vma, index, tried);
    if (tried) return found;
    const marked = ((this.folios.flags[found] as number) & MARK) !== 0;
    // The reference of the lookup keeps reclaim from freeing it while the readahead is charged.
    this.folios.refcount[found]! += 1;
    this.readahead.mmapAsync(task, openFile, found, index, vma);
    this.memory.release.put(task.cpu, found);
    return marked && (vma.flags & RAND_READ) === 0 ? -RETRY : found;
  }

  /**
   * A folio of zeroes takes the place of nothing; that is no major fault. What is swapped out comes back
   * (PGC-03).
   */
  private findShmem(task: Task, vma: Vma, file: FileMapping, index: number): number {
    const found = this.filemap.lookup(file, index);
    if (found !== NO_FOLIO) return found;
    if (this.shmem.has(file, index)) {
      const back = this.shmem.swapIn(task, file, index);
      if (back === NO_FOLIO) return -OOM;
      this.hasRead = this.shmem.hasRead;
      if (this.hasRead) this.memory.countEvents(MAJOR_FAULTS, vma.mm.memcg, 1);
      return back;
    }
    const folio = this.filemap.add(task, file, index, 0, false);
    return folio === NO_FOLIO ? -OOM : folio;
  }

  /** Not cached: reads around the page, or at least the page. */
  private read(task: Task, vma: Vma, index: number, tried: boolean): number {
    const openFile = openFileOf(vma);
    this.memory.countEvents(MAJOR_FAULTS, vma.mm.memcg, 1);
    this.readahead.mmapSync(task, openFile, index, vma);
    let folio = this.filemap.lookup(openFile.mapping, index);
    if (folio === NO_FOLIO) folio = this.filemap.add(task, openFile.mapping, index, 0, false);
    if (!tried) return -(MAJOR | RETRY);
    return folio === NO_FOLIO ? -OOM : folio;
  }
}
