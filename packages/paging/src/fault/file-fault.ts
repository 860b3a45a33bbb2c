// @hot
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_WRITE,
  type FileMapping,
  type Memory,
  NIL,
  PG_UPTODATE,
  type Task,
  VM_SHARED,
  type Vma,
} from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import { CHARGE_FULL } from "../charge/charge-kind.ts";
import type { Filemap } from "../file/filemap.ts";
import { FilePtes } from "../mapping/file-ptes.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import type { ShmemSwap } from "../swap/shmem-swap.ts";
import { slotIn } from "../page-table/slot.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";
import { filePageAt, openFileOf } from "../vma/file-vmas.ts";
import { FaultAround } from "./fault-around.ts";
import { FAULT_MAJOR, FAULT_NONE, FAULT_OOM } from "./fault-codes.ts";
import type { FaultFiles } from "./fault-handler.ts";
import { FilemapFault } from "./filemap-fault.ts";

const FULL_CHARGE = CHARGE_FULL;
const SHIFT = ENTRY_SHIFT;
const NO_FOLIO = NIL;
const NONE = FAULT_NONE;
const OOM = FAULT_OOM;
const MAJOR = FAULT_MAJOR;
const SHARED = VM_SHARED;
const TABLE_ENTRIES = PAGES_PER_PMD;
const UPTODATE = PG_UPTODATE;
const WRITABLE = ENTRY_WRITE | ENTRY_ACCESSED | ENTRY_DIRTY;
const WRITTEN = ENTRY_PRESENT | WRITABLE;

/**
 * Faults of file and shared-memory mappings.
 * Source: FLT-20..FLT-24, FIO-21; mm/memory.c:do_fault.
 */
export class FileFault {
  private readonly memory: Memory;
  private readonly maps: FolioMaps;
  private readonly filemap: Filemap;
  private readonly charge: Charge;
  private readonly ptes: FilePtes;
  private readonly around: FaultAround;
  private readonly finder: FilemapFault;

  constructor(
    memory: Memory,
    maps: FolioMaps,
    files: FaultFiles,
    charge: Charge,
    shmem: ShmemSwap,
  ) {
    this.memory = memory;
    this.charge = charge;
    this.maps = maps;
    this.filemap = files.filemap;
    this.ptes = new FilePtes(memory, maps);
    this.around = new FaultAround(memory, this.ptes, charge.kernel);
    this.finder = new FilemapFault(memory, files.filemap, files.readahead, shmem);
  }

  /**
   * A page that nothing maps yet: do_read_fault(), do_cow_fault() or do_shared_fault().
   * @param pmdSlot of the PMD entry of `vpn`: empty, or a table whose PTE is
   * @param tried the fault was taken before
   * @returns FAULT_* bits
   */
  handle(
    task: Task,
    vma: Vma,
    vpn: number,
    pmdSlot: number,
    write: boolean,
    tried: boolean,
  ): number {
    if (write) {
      return vma.flags & SHARED
        ? this.map(task, vma, vpn, pmdSlot, true, tried)
        : this.copy(task, vma, vpn, pmdSlot, tried);
    }
    if (this.around.map(task, vma, vpn, pmdSlot, tried)) return NONE;
    return this.map(task, vma, vpn, pmdSlot, false, tried);
  }

  /**
   * wp_page_shared(): the first write to a page of a shared mapping that reads have mapped. The file
   * hears of it (page_mkwrite), then that one entry becomes writable.
   * @param slot of the PTE, which is present and not writable
   */
  writeShared(task: Task, slot: number): number {
    const { entries } = this.memory.pageTables;
    const folio = this.memory.folios.folioOf((entries[slot] as number) >>> SHIFT);
    this.filemap.buffers.attach(task, folio);
    this.filemap.markDirty(this.memory.fileOf(folio) as FileMapping, folio);
    entries[slot]! |= WRITABLE;
    return NONE;
  }

  /** __do_fault() and finish_fault(), for what is mapped as it is in the page cache. */
  private map(
    task: Task,
    vma: Vma,
    vpn: number,
    pmdSlot: number,
    write: boolean,
    tried: boolean,
  ): number {
    const { kernel } = this.charge;
    const { pageTables } = this.memory;
    // Had before the page is looked for: charging it may reclaim.
    const bare = pageTables.entries[pmdSlot] === 0;
    if (bare && !kernel.payForTable(task, vma.mm)) return OOM;
    const index = filePageAt(vma, vpn);
    const folio = this.finder.find(task, vma, index, tried);
    if (folio < 0) {
      if (bare) kernel.refundTable(task.cpu, vma.mm);
      return -folio;
    }
    const major = this.finder.hasRead ? MAJOR : NONE;
    if (write) {
      this.filemap.buffers.attach(task, folio);
      this.filemap.markDirty(openFileOf(vma).mapping, folio);
    }
    if (bare && this.around.fitsPmd(vma, vpn, index, folio)) {
      kernel.refundTable(task.cpu, vma.mm);
      this.ptes.setPmd(task.cpu, vma, folio, pmdSlot, write);
      return major;
    }
    const table = bare ? kernel.putTable(vma.mm, pmdSlot) : pageTables.tableBelow(pmdSlot);
    this.finish(task, vma, folio, index, slotIn(table, vpn), write);
    return major;
  }

  /**
   * finish_fault(): maps all of a large folio if it lies inside the VMA, the table and the file and
   * none of it is mapped yet; otherwise the page alone (FLT-22).
   * @param slot of the PTE of page `index` of the file
   */
  private finish(
    task: Task,
    vma: Vma,
    folio: number,
    index: number,
    slot: number,
    write: boolean,
  ): void {
    const { folios } = this.memory;
    const before = (index - (folios.index[folio] as number)) | 0;
    const pages = folios.nrPagesOf(folio);
    if (pages > 1 && this.isOpenFor(vma, folio, slot - before)) {
      this.ptes.set(task.cpu, vma, folio, folio, slot - before, pages, write);
    } else {
      this.ptes.set(task.cpu, vma, folio, folio + before, slot, 1, write);
    }
  }

  /** Whether all of a large folio can be mapped by the PTEs from `first` on. */
  private isOpenFor(vma: Vma, folio: number, first: number): boolean {
    const { folios, pageTables } = this.memory;
    const { mapping: file } = openFileOf(vma);
    const pages = folios.nrPagesOf(folio);
    const index = folios.index[folio] as number;
    if (index < vma.pgoff || index + pages > vma.pgoff + (vma.end - vma.start)) return false;
    if ((first % TABLE_ENTRIES) + pages > TABLE_ENTRIES || first < 0) return false;
    if (!file.shmem && index + pages > file.pages) return false;
    for (let i = first; i < first + pages; i++) if (pageTables.entries[i] !== 0) return false;
    return true;
  }

  /**
   * do_cow_fault(): the first access to a page of a private mapping is a write, so the program gets a
   * copy of order 0 and the page cache keeps its own (FLT-23). Memory for the copy is had first.
   */
  private copy(task: Task, vma: Vma, vpn: number, pmdSlot: number, tried: boolean): number {
    const { memory } = this;
    const { charge } = this;
    if (!charge.kernel.prepareAnonVma(task, vma)) return OOM;
    const copy = charge.allocFolio(task, 0, vma.mm.memcg, FULL_CHARGE);
    if (copy === NO_FOLIO) return OOM;
    const bare = memory.pageTables.entries[pmdSlot] === 0;
    if (bare && !charge.kernel.payForTable(task, vma.mm)) {
      memory.release.put(task.cpu, copy);
      return OOM;
    }
    const index = filePageAt(vma, vpn);
    const original = this.finder.find(task, vma, index, tried);
    if (original < 0) {
      if (bare) charge.kernel.refundTable(task.cpu, vma.mm);
      memory.release.put(task.cpu, copy);
      return -original;
    }
    const table = bare
      ? charge.kernel.putTable(vma.mm, pmdSlot)
      : memory.pageTables.tableBelow(pmdSlot);
    const slot = slotIn(table, vpn);
    const inFolio = (index - (memory.folios.index[original] as number)) | 0;
    memory.folios.flags[copy]! |= UPTODATE;
    memory.folios.contents[copy] = memory.folios.contents[original + inFolio] as number;
    this.maps.newAnon(copy, vma, vpn, false);
    memory.batches.addVma(task, copy, vma);
    memory.pageTables.entries[slot] = (copy << SHIFT) | WRITTEN;
    vma.mm.anonPages += 1;
    return NONE;
  }
}
