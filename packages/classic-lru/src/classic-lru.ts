// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  type FolioLists,
  type FolioTable,
  LRU_UNEVICTABLE,
  type LruPolicy,
  type Lruvec,
  type Memcg,
  type Memory,
  type Mm,
  NIL,
  PG_ACTIVE,
  PG_DROPBEHIND,
  PG_IDLE,
  PG_LRU,
  PG_REFERENCED,
  PG_UNEVICTABLE,
} from "@lrugen/mm-core";
import { folioLruList } from "./classic-lists.ts";

const NONE = NIL;
const UNEVICTABLE_LIST = LRU_UNEVICTABLE;
const ACTIVE = PG_ACTIVE;
const DROPBEHIND = PG_DROPBEHIND;
const IDLE = PG_IDLE;
const LRU = PG_LRU;
const REFERENCED = PG_REFERENCED;
const UNEVICTABLE = PG_UNEVICTABLE;
const listOf = folioLruList;

/**
 * The active/inactive LRU: an active and an inactive list for each of anon and file, and a count of
 * unevictable folios. It also keeps the unevictable count for the multi-gen LRU, and takes every folio
 * that one refuses.
 *
 * Source: FOL-04, FOL-05, BATCH-30, CLS-01; include/linux/mm_inline.h, mm/folio.c.
 */
export class ClassicLru implements LruPolicy {
  readonly name = "classic";
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly lists: FolioLists;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
    this.lists = memory.lists;
  }

  /**
   * lruvec_add_folio(), lruvec_add_folio_tail(): counts the folio on the list its flags name and links it
   * there. An unevictable folio is not linked.
   * @param reclaiming at the cold end
   * @returns true: it takes every folio
   */
  addFolio(lruvec: Lruvec, folio: number, reclaiming: boolean): boolean {
    const lru = listOf(this.folios.flags[folio] as number);
    const zone = this.memory.allocator.zoneOf(folio);
    lruvec.updateLruSize(lru, zone, this.folios.nrPagesOf(folio));
    if (lru === UNEVICTABLE_LIST) return true;
    if (reclaiming) this.lists.addTail(lruvec.listHead + lru, folio);
    else this.lists.add(lruvec.listHead + lru, folio);
    return true;
  }

  /**
   * lruvec_del_folio(). The flags must still be those the folio was added with.
   * @returns true: a folio that is not on a generation list is here
   */
  delFolio(lruvec: Lruvec, folio: number, _reclaiming: boolean): boolean {
    const lru = listOf(this.folios.flags[folio] as number);
    const zone = this.memory.allocator.zoneOf(folio);
    if (lru === UNEVICTABLE_LIST) this.lists.prev[folio] = NONE; // mlock_count ends here (FOL-05)
    else this.lists.del(folio);
    lruvec.updateLruSize(lru, zone, -this.folios.nrPagesOf(folio));
    return true;
  }

  /** A fresh folio starts inactive and unreferenced, whoever faulted it in (EX-02). */
  beforeAdd(_folio: number, _inLruFault: boolean): void {}

  /**
   * folio_mark_accessed(): unreferenced → referenced → active and unreferenced. A folio that still waits in
   * this CPU's add batch only gets PG_active; one that waits elsewhere, or is isolated, stays inactive.
   */
  markAccessed(cpu: Cpu, folio: number): void {
    const { flags } = this.folios;
    const word = flags[folio] as number;
    if (word & DROPBEHIND) return;
    if ((word & REFERENCED) === 0) flags[folio] = word | REFERENCED;
    else if ((word & (UNEVICTABLE | ACTIVE)) === 0) {
      if (word & LRU) this.memory.batches.activate(cpu, folio);
      else if (this.memory.batches.inAddBatch(cpu, folio)) flags[folio]! |= ACTIVE;
      flags[folio]! &= ~REFERENCED;
    }
    flags[folio]! &= ~IDLE;
  }

  /** lru_gen_clear_refs() is not for this LRU: a deactivation always goes on. */
  clearRefs(_lruvec: Lruvec, _folio: number): boolean {
    return false;
  }

  /** Address spaces are not walked, so none is listed. */
  mmAdd(_mm: Mm, _memcg: Memcg): void {}
  /** See mmAdd. */
  mmDel(_mm: Mm): void {}
  /** See mmAdd. */
  mmMigrate(_mm: Mm, _memcg: Memcg): void {}
  /** See mmAdd. */
  useMm(_mm: Mm): void {}
}
