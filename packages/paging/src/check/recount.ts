import {
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_SWAP_EXCLUSIVE,
  ENTRY_WRITE,
  type Memory,
  type Mm,
  NO_SLOT,
  PG_ANON_EXCLUSIVE,
  PG_DIRTY,
  PTRS_PER_TABLE,
  type Vma,
  VM_SHARED,
} from "@lrugen/mm-core";
import { PAGES_PER_PMD, PMD_ORDER } from "../thp/thp-config.ts";
import { filePageAt } from "../vma/file-vmas.ts";

/** What the page tables say about one folio. */
export interface FolioMappings {
  /** Sum over its pages: PTE mappings, and one for each PMD mapping. */
  total: number;
  pmds: number;
  readonly vmas: Set<Vma>;
  readonly mms: Set<Mm>;
}

/** Resident pages of an address space. */
export interface Resident {
  anon: number;
  file: number;
  swap: number;
}

/**
 * Counts what maps what, from the page tables alone, and takes down entries that cannot be.
 * Only for checks: it visits every table.
 */
export class Recount {
  /** PTE mappings by page frame. */
  readonly ptes: Int32Array;
  /** Mapped folios. */
  readonly folios: Map<number, FolioMappings> = new Map();
  /** Swap entries by slot: of page tables, and of shared memory. */
  readonly swapEntries: Int32Array;
  /** Page tables in use, of all levels. */
  tables = 0;
  private readonly memory: Memory;
  private readonly violations: string[];
  private resident: Resident = { anon: 0, file: 0, swap: 0 };

  /** @param violations gets a line for each impossible entry */
  constructor(memory: Memory, violations: string[]) {
    this.memory = memory;
    this.violations = violations;
    this.ptes = new Int32Array(memory.folios.nrPages);
    this.swapEntries = new Int32Array(memory.swap.slots);
    this.countSharedMemory();
  }

  /** Counts one address space. @returns its resident pages */
  count(mm: Mm): Resident {
    this.tables += 1;
    this.resident = { anon: 0, file: 0, swap: 0 };
    const spans = [PAGES_PER_PMD * PTRS_PER_TABLE ** 2, PAGES_PER_PMD * PTRS_PER_TABLE];
    this.eachEntry(mm.pgd, 0, spans[0] as number, (pud, pudFirst) => {
      this.tables += 1;
      this.eachEntry(pud >>> ENTRY_SHIFT, pudFirst, spans[1] as number, (pmd, pmdFirst) => {
        this.tables += 1;
        this.eachEntry(pmd >>> ENTRY_SHIFT, pmdFirst, PAGES_PER_PMD, (entry, first) => {
          if (entry & ENTRY_LEAF) this.leaf(mm, entry, first);
          else this.table(mm, entry, first);
        });
      });
    });
    return this.resident;
  }

  private eachEntry(
    table: number,
    first: number,
    span: number,
    visit: (entry: number, first: number) => void,
  ): void {
    const { entries } = this.memory.pageTables;
    for (let i = 0; i < PTRS_PER_TABLE; i++) {
      const entry = entries[table * PTRS_PER_TABLE + i] as number;
      if (entry !== 0) visit(entry, first + i * span);
    }
  }

  private table(mm: Mm, entry: number, first: number): void {
    this.tables += 1;
    this.eachEntry(entry >>> ENTRY_SHIFT, first, 1, (pte, vpn) => {
      const vma = this.vmaOf(mm, pte, vpn);
      const pfn = pte >>> ENTRY_SHIFT;
      if (pte & ENTRY_SPECIAL) {
        if (pfn !== this.memory.zeroPfn || pte & ENTRY_WRITE) {
          this.report("FLT-12", mm, vpn, `special entry of frame ${pfn}, expected the zero page`);
        }
      } else if (vma !== null) {
        this.ptes[pfn]! += 1;
        this.add(vma, pfn, vpn, pte, 0);
      }
    });
  }

  private leaf(mm: Mm, entry: number, vpn: number): void {
    const vma = this.vmaOf(mm, entry, vpn);
    const pfn = entry >>> ENTRY_SHIFT;
    const { folios } = this.memory;
    if (!folios.isLarge(pfn) || folios.order[pfn] !== PMD_ORDER) {
      this.report("PT-15", mm, vpn, `PMD leaf of frame ${pfn}, expected the head of 512 pages`);
    }
    if (entry & ENTRY_SPECIAL) {
      if (entry & ENTRY_WRITE || folios.mapping[pfn] !== 0) {
        this.report("FLT-12", mm, vpn, `special leaf of frame ${pfn}, expected huge zero folio`);
      }
      return;
    }
    if (vma !== null) this.add(vma, pfn, vpn, entry, 1);
  }

  /** One mapping of a frame; `pmds` is 1 for a leaf. */
  private add(vma: Vma, pfn: number, vpn: number, entry: number, pmds: number): void {
    const { folios } = this.memory;
    const folio = folios.folioOf(pfn);
    let counts = this.folios.get(folio);
    if (counts === undefined) {
      counts = { total: 0, pmds: 0, vmas: new Set(), mms: new Set() };
      this.folios.set(folio, counts);
    }
    counts.total += 1;
    counts.pmds += pmds;
    counts.vmas.add(vma);
    counts.mms.add(vma.mm);
    const anon = ((folios.mapping[folio] as number) & 1) !== 0;
    const pages = pmds === 0 ? 1 : PAGES_PER_PMD;
    if (anon) this.resident.anon += pages;
    else this.resident.file += pages;
    const expected = (folios.index[folio] as number) + (pfn - folio);
    if ((anon ? vpn : filePageAt(vma, vpn)) !== expected) {
      this.report("RMAP-01", vma.mm, vpn, `maps frame ${pfn}, whose index is ${expected}`);
    }
    if (!anon) this.checkFileEntry(vma, pfn, vpn, entry);
    else if (entry & ENTRY_WRITE && ((folios.flags[pfn] as number) & PG_ANON_EXCLUSIVE) === 0) {
      this.report("INV-22", vma.mm, vpn, `writable entry of frame ${pfn}, expected it exclusive`);
    }
  }

  /** A page of the page cache is of the VMA's file, and nobody writes to it through a private mapping. */
  private checkFileEntry(vma: Vma, pfn: number, vpn: number, entry: number): void {
    const { memory } = this;
    const file = memory.fileOf(memory.folios.folioOf(pfn));
    if (file === null || file.id !== vma.file?.id) {
      const expected = vma.file === null ? "anonymous memory" : `file ${vma.file.id}`;
      this.report("RMAP-01", vma.mm, vpn, `maps a page of file ${file?.id}, expected ${expected}`);
    }
    if ((entry & ENTRY_WRITE) === 0) return;
    const head = memory.folios.folioOf(pfn);
    if ((vma.flags & VM_SHARED) === 0) {
      this.report(
        "FLT-23",
        vma.mm,
        vpn,
        `writable entry of page-cache frame ${pfn}, expected a copy`,
      );
    } else if (!file?.shmem && ((memory.folios.flags[head] as number) & PG_DIRTY) === 0) {
      this.report(
        "FLT-23",
        vma.mm,
        vpn,
        `writable entry of clean folio ${head}, expected it dirty`,
      );
    }
  }

  private vmaOf(mm: Mm, entry: number, vpn: number): Vma | null {
    const vma = mm.vmaAt(vpn);
    if (vma === null) this.report("PT-02", mm, vpn, "entry outside of all VMAs, expected none");
    if ((entry & ENTRY_PRESENT) === 0) {
      if (vma !== null) this.addSwap(mm, entry, vpn);
      return null;
    }
    return vma;
  }

  /** An entry that is not present: of a swap slot, with nothing else in it. */
  private addSwap(mm: Mm, entry: number, vpn: number): void {
    const slot = entry >>> ENTRY_SHIFT;
    const bits = entry & ((1 << ENTRY_SHIFT) - 1) & ~ENTRY_SWAP_EXCLUSIVE;
    if (slot === NO_SLOT || slot >= this.swapEntries.length || bits !== 0) {
      this.report(
        "PT-02",
        mm,
        vpn,
        "entry that is not present, expected one of a page or swap slot",
      );
      return;
    }
    this.resident.swap += 1;
    this.swapEntries[slot]! += 1;
  }

  private countSharedMemory(): void {
    const { files, pageCache } = this.memory;
    for (const file of files) {
      if (file === null || !file.shmem) continue;
      for (let page = 0; page < file.leaves.length * 64; page++) {
        const slot = pageCache.swapSlot(file, page);
        if (slot !== NO_SLOT) this.swapEntries[slot]! += 1;
      }
    }
  }

  private report(rule: string, mm: Mm, vpn: number, what: string): void {
    this.violations.push(`${rule}: mm ${mm.id}, virtual page ${vpn}: ${what}`);
  }
}
