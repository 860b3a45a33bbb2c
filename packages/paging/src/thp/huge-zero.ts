import {
  ENTRY_ACCESSED,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  type Memory,
  NIL,
  PG_UPTODATE,
  THP_ZERO_PAGE_ALLOC,
} from "@lrugen/mm-core";
import { PMD_ORDER } from "./thp-config.ts";

/** "Not available": no PMD entry has this value. */
export const NO_HUGE_ZERO: number = 0;

/**
 * The huge zero folio: 2 MiB of zeroes that every read fault of an empty PMD maps. One a machine,
 * allocated on first need, charged to nobody, on no list. Its shrinker is not modelled, so it stays.
 * Source: FLT-12, CNT-05; mm/huge_memory.c:get_huge_zero_folio.
 */
export class HugeZero {
  /** The folio, NIL until it is first needed; one reference is the machine's own. */
  folio: number = NIL;
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** The PMD leaf that maps it, young and special as it maps no counted folio; NO_HUGE_ZERO = no memory. */
  pmd(): number {
    if (this.folio === NIL && !this.allocate()) return NO_HUGE_ZERO;
    return (
      (this.folio << ENTRY_SHIFT) | ENTRY_PRESENT | ENTRY_LEAF | ENTRY_SPECIAL | ENTRY_ACCESSED
    );
  }

  private allocate(): boolean {
    const { memory } = this;
    const pfn = memory.allocator.alloc(PMD_ORDER);
    if (pfn === NIL) return false;
    memory.folios.prepare(pfn, PMD_ORDER, memory.root.index);
    memory.folios.flags[pfn]! |= PG_UPTODATE;
    memory.vmstat.add(THP_ZERO_PAGE_ALLOC, 1);
    this.folio = pfn;
    return true;
  }
}
