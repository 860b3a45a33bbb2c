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
  NotModelledError,
  PG_ACTIVE,
  PG_DROPBEHIND,
  PG_IDLE,
  PG_LRU,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
  type ReclaimPolicy,
  type ReferenceVerdict,
  type ScanControl,
  type Task,
  VM_EXEC,
  VM_LOCKED,
} from "@lrugen/mm-core";
import { folioLruList } from "./classic-lists.ts";
import { ClassicWorkingset } from "./workingset.ts";

const NONE = NIL;
const UNEVICTABLE_LIST = LRU_UNEVICTABLE;
const ACTIVE = PG_ACTIVE;
const DROPBEHIND = PG_DROPBEHIND;
const IDLE = PG_IDLE;
const LRU = PG_LRU;
const REFERENCED = PG_REFERENCED;
const SWAPBACKED = PG_SWAPBACKED;
const UNEVICTABLE = PG_UNEVICTABLE;
const EXEC = VM_EXEC;
const VMA_LOCKED = VM_LOCKED;
const listOf = folioLruList;
const SCANNING = "reclaim with the classic LRU (MGLRU is off)";

/**
 * The active/inactive LRU: an active and an inactive list for each of anon and file, and a count of
 * unevictable folios. It also keeps the unevictable count for the multi-gen LRU, and takes every folio
 * that one refuses. While the other is off it also judges references and refaults, which need
 * `memory.reclaimer`; scanning its lists is not modelled yet.
 *
 * Source: FOL-04, FOL-05, BATCH-30, CLS-01, CLS-10, WS-01..06; include/linux/mm_inline.h, mm/folio.c.
 */
export class ClassicLru implements LruPolicy, ReclaimPolicy {
  readonly name = "classic";
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly lists: FolioLists;
  private readonly workingset: ClassicWorkingset;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
    this.lists = memory.lists;
    this.workingset = new ClassicWorkingset(memory);
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
      this.workingset.activation(folio);
    }
    flags[folio]! &= ~IDLE;
  }

  /** lru_gen_clear_refs() is not for this LRU: a deactivation always goes on. */
  clearRefs(_lruvec: Lruvec, _folio: number): boolean {
    return false;
  }

  shrinkLruvec(_lruvec: Lruvec, _sc: ScanControl): void {
    throw new NotModelledError(SCANNING);
  }

  shrinkNode(_node: number, _sc: ScanControl): void {
    throw new NotModelledError(SCANNING);
  }

  ageNode(_node: number, _sc: ScanControl): void {
    throw new NotModelledError(SCANNING);
  }

  /**
   * folio_check_references(): a folio that was referenced before, or from several places, or is
   * mapped as a program's text, becomes active.
   * Source: CLS-10.
   */
  checkReferences(folio: number, referenced: number, vmaFlags: number): ReferenceVerdict {
    const { flags } = this.folios;
    if (vmaFlags & VMA_LOCKED) return "activate";
    if (referenced < 0) return "keep";
    const word = flags[folio] as number;
    flags[folio] = referenced > 0 ? word | REFERENCED : word & ~REFERENCED;
    if (referenced === 0) return "reclaim";
    if (word & REFERENCED || referenced > 1) return "activate";
    return vmaFlags & EXEC && (word & SWAPBACKED) === 0 ? "activate" : "keep";
  }

  evictionShadow(folio: number, target: Memcg | null): number {
    return this.workingset.eviction(folio, target);
  }

  refault(_task: Task, folio: number, shadow: number): void {
    this.workingset.refault(folio, shadow);
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
