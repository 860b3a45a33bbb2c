// @hot
import {
  type Memory,
  NIL,
  PG_ACTIVE,
  PG_UNEVICTABLE,
  ScanControl,
  type Task,
} from "@lrugen/mm-core";
import type { ShrinkFolioList } from "./shrink-folio-list.ts";

const NONE = NIL;
const ACTIVE = PG_ACTIVE;
const UNEVICTABLE = PG_UNEVICTABLE;

/**
 * Reclaims folios that somebody picked one by one, accessed or not, and puts back what cannot be freed.
 * Source: DEL-04, REF-22; mm/vmscan.c:reclaim_pages, reclaim_folio_list.
 */
export class ReclaimFolios {
  private readonly memory: Memory;
  private readonly shrinkList: ShrinkFolioList;
  private readonly picked: number;

  constructor(memory: Memory, shrinkList: ShrinkFolioList) {
    this.memory = memory;
    this.shrinkList = shrinkList;
    this.picked = memory.lists.allocHeads(1);
  }

  /** Picks a folio if it is on the LRU; an unevictable one is put back at once. */
  pick(task: Task, folio: number): void {
    const { putback, lists, folios } = this.memory;
    if (!putback.isolate(task.cpu, folio)) return;
    if ((folios.flags[folio] as number) & UNEVICTABLE) putback.putback(task, folio);
    else lists.add(this.picked, folio);
  }

  /** reclaim_pages(): frees what was picked, first picked first. @returns pages freed */
  reclaim(task: Task): number {
    const { picked } = this;
    const { lists, putback, folios } = this.memory;
    if (lists.isEmpty(picked)) return 0;
    for (
      let folio = lists.tail(picked);
      folio !== picked && folio !== NONE;
      folio = folios.prev[folio] as number
    ) {
      folios.flags[folio]! &= ~ACTIVE;
    }
    const before = task.reclaiming;
    task.reclaiming = true;
    const freed = this.shrinkList.shrink(new ScanControl(task, { nrToReclaim: 0 }), picked, true);
    for (let folio = lists.tail(picked); folio !== NONE; folio = lists.tail(picked)) {
      lists.del(folio);
      putback.putback(task, folio);
    }
    task.reclaiming = before;
    return freed;
  }
}
