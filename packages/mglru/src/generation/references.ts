import {
  LRU_REFS_FLAGS,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  type Lruvec,
  type Memory,
  PG_ACTIVE,
  PG_DROPBEHIND,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
  PG_WORKINGSET,
  type ReferenceVerdict,
  VM_EXEC,
  VM_LOCKED,
} from "@lrugen/mm-core";
import { folioLruGen, folioLruRefs, genFromSeq } from "./generation.ts";

/**
 * How accesses that the page-table walk does not see are counted in a folio's flags. None of this
 * moves a folio (REF-04).
 * Source: REF-01..11, REF-20; mm/folio.c, mm/vmscan.c:lru_gen_set_refs.
 */
export class References {
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** folio_mark_accessed() with MGLRU on (REF-01, BATCH-30). */
  markAccessed(folio: number): void {
    const { flags } = this.memory.folios;
    const word = flags[folio] as number;
    if (word & (PG_DROPBEHIND | PG_UNEVICTABLE)) return;
    if ((word & PG_REFERENCED) === 0) {
      flags[folio] = (word & ~LRU_REFS_MASK) | PG_REFERENCED;
    } else if ((word & LRU_REFS_MASK) === LRU_REFS_MASK) {
      flags[folio] = word | PG_WORKINGSET;
    } else {
      flags[folio] = word + (1 << LRU_REFS_PGOFF);
    }
  }

  /**
   * The MGLRU half of folio_add_lru(): a folio added inside a page fault starts active if it was in
   * the working set, referenced otherwise (REF-07, BATCH-20).
   */
  beforeAdd(folio: number, inLruFault: boolean): void {
    const { flags } = this.memory.folios;
    const word = flags[folio] as number;
    if (!inLruFault || word & PG_UNEVICTABLE) return;
    if (word & PG_WORKINGSET) flags[folio] = word | PG_ACTIVE;
    else if ((word & PG_REFERENCED) === 0) this.markAccessed(folio);
  }

  /**
   * lru_gen_clear_refs(): forgets all accesses.
   * @returns true = no move needed: off the lists (then nothing is cleared), or already in the
   *   oldest generation of its type (REF-20, BATCH-25)
   */
  clearRefs(lruvec: Lruvec, folio: number): boolean {
    const { flags } = this.memory.folios;
    const word = flags[folio] as number;
    const gen = folioLruGen(word);
    if (gen < 0) return true;
    flags[folio] = word & ~(LRU_REFS_FLAGS | PG_WORKINGSET);
    const type = word & PG_SWAPBACKED ? 0 : 1;
    return gen === genFromSeq(lruvec.lrugen.minSeq[type] as number);
  }

  /**
   * lru_gen_set_refs(): a mapped folio was found young by a reverse-map walk.
   * @param executable it was seen through an executable mapping
   * @returns whether it deserves promotion (REF-10)
   */
  setRefs(folio: number, executable: boolean): boolean {
    const { flags } = this.memory.folios;
    const word = flags[folio] as number;
    if ((word & (PG_REFERENCED | PG_WORKINGSET)) === 0) {
      if (executable && (word & PG_SWAPBACKED) === 0) {
        flags[folio] = (word & ~LRU_REFS_FLAGS) | PG_WORKINGSET;
        return true;
      }
      flags[folio] = (word & ~LRU_REFS_MASK) | PG_REFERENCED;
      return false;
    }
    if (folioLruRefs(word) > 1) flags[folio] = (word & ~LRU_REFS_FLAGS) | PG_WORKINGSET;
    else this.markAccessed(folio);
    return true;
  }

  /**
   * folio_check_references(): what the references that reclaim found on a mapped folio mean.
   * @param referenced VMAs that referenced it, −1 = contended or exiting
   * @param vmaFlags union of the flags of those VMAs
   * Source: CLS-10, REF-10, EVT-60 row 4.
   */
  checkReferences(folio: number, referenced: number, vmaFlags: number): ReferenceVerdict {
    if (vmaFlags & VM_LOCKED) return "activate";
    if (referenced < 0) return "keep";
    if (referenced === 0) return "reclaim";
    return this.setRefs(folio, (vmaFlags & VM_EXEC) !== 0) ? "activate" : "keep";
  }
}
