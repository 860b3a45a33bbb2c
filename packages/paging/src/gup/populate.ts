import {
  EFAULT,
  ENOMEM,
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  type FileMapping,
  type Memory,
  NO_ENTRY,
  PG_DIRTY,
  type Task,
  type Vma,
} from "@lrugen/mm-core";
import { FAULT_NONE, FAULT_OOM } from "../fault/fault-codes.ts";
import type { FaultHandler } from "../fault/fault-handler.ts";
import type { Filemap } from "../file/filemap.ts";
import { slotIn } from "../page-table/slot.ts";
import { PAGES_PER_PMD } from "../thp/thp-config.ts";

/** Nothing to follow: a fault is needed. */
const MISSING = 0;

/**
 * get_user_pages() with FOLL_TOUCH, as mlock and MADV_POPULATE use it: the kernel goes over a range
 * of a program's memory, faults in what is missing and marks each page accessed. It walks in software,
 * so PTEs that are there keep their accessed bits.
 * Source: REF-03; mm/gup.c:populate_vma_page_range, faultin_page_range, follow_page_pte.
 */
export class Populate {
  private readonly memory: Memory;
  private readonly faults: FaultHandler;
  private readonly filemap: Filemap;

  constructor(memory: Memory, faults: FaultHandler, filemap: Filemap) {
    this.memory = memory;
    this.faults = faults;
    this.filemap = filemap;
  }

  /**
   * Goes over [start, end) of a VMA, which allows the access. The caller drains this CPU's batches
   * once it is through, however that ends.
   * @param caller FAULT_BY_POPULATE or FAULT_BY_MLOCK, for whom the faults are taken
   * @returns 0, −ENOMEM or −EFAULT at the first page that could not be had
   */
  range(task: Task, vma: Vma, start: number, end: number, write: boolean, caller: number): number {
    for (let vpn = start; vpn < end;) {
      const step = this.follow(task, vma, vpn, write);
      if (step === MISSING) {
        const result = this.faults.handle(task, vma, vpn, write, caller);
        if (result === FAULT_OOM) return -ENOMEM;
        if (result !== FAULT_NONE) return -EFAULT;
      }
      vpn += step;
    }
    return 0;
  }

  /** follow_page_mask(). @returns pages it went over, or MISSING */
  private follow(task: Task, vma: Vma, vpn: number, write: boolean): number {
    const { pageTables } = this.memory;
    const { entries } = pageTables;
    const pmdSlot = pageTables.pmdSlot(vma.mm.pgd, vpn);
    if (pmdSlot === NO_ENTRY) return MISSING;
    const pmd = entries[pmdSlot] as number;
    if ((pmd & ENTRY_PRESENT) === 0) return MISSING;
    if (pmd & ENTRY_LEAF) {
      if (write && (pmd & ENTRY_WRITE) === 0) return MISSING;
      // touch_pmd(): the folio is not marked, and x86 stores the young bit only along with the dirty one.
      if (write) entries[pmdSlot] = pmd | ENTRY_ACCESSED | ENTRY_DIRTY;
      return PAGES_PER_PMD - (vpn % PAGES_PER_PMD);
    }
    const pte = entries[slotIn(pmd >>> ENTRY_SHIFT, vpn)] as number;
    if ((pte & ENTRY_PRESENT) === 0 || (write && (pte & ENTRY_WRITE) === 0)) return MISSING;
    this.touch(task, pte, write);
    return 1;
  }

  /** FOLL_TOUCH. The zero page is no folio to mark. */
  private touch(task: Task, pte: number, write: boolean): void {
    if (pte & ENTRY_SPECIAL) return;
    const { folios, lru } = this.memory;
    const folio = folios.folioOf(pte >>> ENTRY_SHIFT);
    if (write && (pte & ENTRY_DIRTY) === 0) this.markDirty(folio);
    lru.active.markAccessed(task.cpu, folio);
  }

  private markDirty(folio: number): void {
    const { folios } = this.memory;
    if ((folios.mapping[folio] as number) & 1) folios.flags[folio]! |= PG_DIRTY;
    else this.filemap.markDirty(this.memory.fileOf(folio) as FileMapping, folio);
  }
}
