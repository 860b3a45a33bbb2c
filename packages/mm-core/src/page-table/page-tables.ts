// @hot
import { ENTRY_ACCESSED, ENTRY_LEAF, ENTRY_PRESENT, ENTRY_SHIFT, ENTRY_WRITE } from "./entry.ts";

const PRESENT = ENTRY_PRESENT;
const LEAF = ENTRY_LEAF;
const SHIFT = ENTRY_SHIFT;
/** New tables are linked in with the accessed bit already set (PT-03). */
const TABLE = ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED;

/** Virtual pages below one PMD table, i.e. in 1 GiB. */
const PAGES_PER_GIB = 262_144;

/** "No entry": the path to it is missing. */
export const NO_ENTRY: number = -1;
const NONE = NO_ENTRY;

/**
 * All page tables of the machine: a pool of 512-entry tables, four levels (PT-01).
 *
 * A table is a number; its entries are `entries[table * 512 ..]`. Table 0 is never used, so that 0
 * can mean "none". An entry's place in `entries` is its slot; slots stand for entry addresses. A freed
 * table is given out again as late as possible, as in the kernel, which frees tables only after an
 * RCU grace period: else a Bloom filter would know the entries of a new one already.
 *
 * Source: PT-01..PT-04; arch/x86/include/asm/pgtable.h.
 */
export class PageTables {
  readonly entries: Int32Array;
  /** Ring of free tables, the one free for longest at `firstFree`. */
  private readonly freeQueue: Int32Array;
  private firstFree = 0;
  private nrFree: number;

  /**
   * @param nrTables tables the pool holds, of all levels and address spaces (one maps 2 MiB, and
   *   each address space needs at least one more per level)
   */
  constructor(nrTables: number) {
    this.entries = new Int32Array(nrTables * 512);
    this.freeQueue = new Int32Array(nrTables);
    this.nrFree = nrTables - 1;
    for (let table = 1; table < nrTables; table++) this.freeQueue[table - 1] = table;
  }

  /**
   * An empty table.
   * @throws RangeError when the pool is used up: the machine was configured with too few tables
   */
  allocTable(): number {
    if (this.nrFree === 0) {
      throw new RangeError("out of page tables: configure the machine with more (pageTables)");
    }
    const table = this.freeQueue[this.firstFree] as number;
    this.firstFree = (this.firstFree + 1) % this.freeQueue.length;
    this.nrFree -= 1;
    return table;
  }

  /** Gives a table back; its entries are cleared. */
  freeTable(table: number): void {
    this.entries.fill(0, table * 512, table * 512 + 512);
    this.freeQueue[(this.firstFree + this.nrFree) % this.freeQueue.length] = table;
    this.nrFree += 1;
  }

  /** Tables in use. */
  get nrTables(): number {
    return this.freeQueue.length - 1 - this.nrFree;
  }

  /** The PMD table that covers a 1 GiB unit, or 0. `gib` = virtual page number / 262,144. */
  pmdTable(pgd: number, gib: number): number {
    const { entries } = this;
    const p4d = entries[pgd * 512 + (gib >> 9)] as number;
    if (p4d === 0) return 0;
    return (entries[(p4d >>> SHIFT) * 512 + (gib & 511)] as number) >>> SHIFT;
  }

  /** The same, with missing tables made. */
  makePmdTable(pgd: number, gib: number): number {
    const pud = this.tableBelow(pgd * 512 + (gib >> 9));
    return this.tableBelow(pud * 512 + (gib & 511));
  }

  /** Slot of the PMD entry that covers a virtual page, or NO_ENTRY. */
  pmdSlot(pgd: number, vpn: number): number {
    const gib = (vpn / PAGES_PER_GIB) | 0;
    const table = this.pmdTable(pgd, gib);
    return table === 0 ? NONE : table * 512 + ((vpn - gib * PAGES_PER_GIB) >> 9);
  }

  /** Slot of the PMD entry that covers a virtual page, with missing tables above it made. */
  makePmdSlot(pgd: number, vpn: number): number {
    const gib = (vpn / PAGES_PER_GIB) | 0;
    return this.makePmdTable(pgd, gib) * 512 + ((vpn - gib * PAGES_PER_GIB) >> 9);
  }

  /** Slot of the PTE of a virtual page, or NO_ENTRY when no PTE table covers it. */
  pteSlot(pgd: number, vpn: number): number {
    const pmd = this.pmdSlot(pgd, vpn);
    if (pmd === NONE) return NONE;
    const entry = this.entries[pmd] as number;
    if ((entry & PRESENT) === 0 || (entry & LEAF) !== 0) return NONE;
    return (entry >>> SHIFT) * 512 + ((vpn % 512) | 0);
  }

  /** Table below a non-leaf entry, made and linked in when the entry is empty. */
  tableBelow(slot: number): number {
    const entry = this.entries[slot] as number;
    if (entry !== 0) return entry >>> SHIFT;
    const table = this.allocTable();
    this.entries[slot] = (table << SHIFT) | TABLE;
    return table;
  }

  /** Whether every entry of a table is empty. */
  isEmptyTable(table: number): boolean {
    const end = table * 512 + 512;
    for (let slot = table * 512; slot < end; slot++) if (this.entries[slot] !== 0) return false;
    return true;
  }
}
