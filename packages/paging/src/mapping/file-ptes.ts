// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_WRITE,
  type FolioTable,
  type Memory,
  PG_DIRTY,
  THP_FILE_MAPPED,
  VM_SHARED,
  VM_WRITE,
  type Vma,
  type VmStat,
} from "@lrugen/mm-core";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";
import type { FolioMaps } from "./folio-maps.ts";

const DIRTY = ENTRY_DIRTY;
const LEAF = ENTRY_LEAF;
const SHIFT = ENTRY_SHIFT;
const WRITE = ENTRY_WRITE;
const FOLIO_DIRTY = PG_DIRTY;
const FILE_MAPPED = THP_FILE_MAPPED;
const PMD_PAGES = PAGES_PER_PMD;
/** Every entry that a fault makes is young (PT-04). */
const MAPPED = ENTRY_PRESENT | ENTRY_ACCESSED;
const WRITABLE_SHARED = VM_SHARED | VM_WRITE;

/**
 * Puts pages of the page cache into page tables: entry, map count, reference, resident pages.
 * Source: PT-04, FLT-20..23; mm/memory.c:set_pte_range, do_set_pmd.
 */
export class FilePtes {
  private readonly entries: Int32Array;
  private readonly folios: FolioTable;
  private readonly maps: FolioMaps;
  private readonly vmstat: VmStat;

  constructor(memory: Memory, maps: FolioMaps) {
    this.entries = memory.pageTables.entries;
    this.folios = memory.folios;
    this.maps = maps;
    this.vmstat = memory.vmstat;
  }

  /**
   * Maps `count` pages of a folio from frame `pfn` on by the empty PTEs from `slot` on.
   * @param write for a write fault of a shared mapping
   */
  set(
    cpu: Cpu,
    vma: Vma,
    folio: number,
    pfn: number,
    slot: number,
    count: number,
    write: boolean,
  ): void {
    const bits = this.bits(vma, folio, write);
    this.maps.addFilePtes(cpu, folio, pfn, count, vma);
    this.folios.refcount[folio]! += count;
    vma.mm.filePages += count;
    for (let i = 0; i < count; i++) this.entries[slot + i] = ((pfn + i) << SHIFT) | bits;
  }

  /** Maps a folio of 2 MiB by the empty PMD entry at `pmdSlot`. */
  setPmd(cpu: Cpu, vma: Vma, folio: number, pmdSlot: number, write: boolean): void {
    const bits = this.bits(vma, folio, write);
    this.maps.addFilePmd(cpu, folio, vma);
    this.vmstat.add(FILE_MAPPED, 1);
    this.folios.refcount[folio]! += 1;
    vma.mm.filePages += PMD_PAGES;
    this.entries[pmdSlot] = (folio << SHIFT) | bits | LEAF;
  }

  /**
   * Entry bits. Only shared memory may be written through an entry that a read made: files want to
   * hear of the first write to a page (vma_wants_writenotify). A writable entry of a dirty folio is
   * dirty.
   */
  private bits(vma: Vma, folio: number, write: boolean): number {
    if (write) return MAPPED | WRITE | DIRTY;
    if ((vma.flags & WRITABLE_SHARED) !== WRITABLE_SHARED || vma.file?.shmem !== true)
      return MAPPED;
    return (this.folios.flags[folio] as number) & FOLIO_DIRTY
      ? MAPPED | WRITE | DIRTY
      : MAPPED | WRITE;
  }
}
