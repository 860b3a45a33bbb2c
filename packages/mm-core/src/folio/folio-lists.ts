// @hot
import { NIL, type FolioTable } from "./folio-table.ts";

const NONE = NIL;

/**
 * Intrusive doubly linked lists over the link arrays of a FolioTable.
 *
 * A list is named by its head, a slot at or above `nrPages`; an empty head points at itself.
 * "Head" is the hot end, where `add` inserts; "tail" the cold end, where reclaim takes (CONV-02).
 * A folio that is on no list has both links NIL.
 *
 * Source: include/linux/list.h.
 */
export class FolioLists {
  readonly next: Int32Array;
  readonly prev: Int32Array;
  private nextHead: number;

  /** @param folios the table whose link arrays carry the lists */
  constructor(folios: FolioTable) {
    this.next = folios.next;
    this.prev = folios.prev;
    this.nextHead = folios.nrPages;
  }

  /**
   * Takes `count` consecutive list heads into use, all empty.
   * @returns the first one
   * @throws RangeError when the table was built with too few heads
   */
  allocHeads(count: number): number {
    const first = this.nextHead;
    if (first + count > this.next.length) {
      throw new RangeError(`out of list heads: ${first + count - this.next.length} more needed`);
    }
    this.nextHead = first + count;
    for (let head = first; head < this.nextHead; head++) {
      this.next[head] = head;
      this.prev[head] = head;
    }
    return first;
  }

  /** list_empty(). */
  isEmpty(head: number): boolean {
    return this.next[head] === head;
  }

  /** The folio at the cold end, or NIL. */
  tail(head: number): number {
    const folio = this.prev[head] as number;
    return folio === head ? NONE : folio;
  }

  /** The folio at the hot end, or NIL. */
  first(head: number): number {
    const folio = this.next[head] as number;
    return folio === head ? NONE : folio;
  }

  /** list_add(): at the hot end. */
  add(head: number, folio: number): void {
    const { next, prev } = this;
    const first = next[head] as number;
    next[folio] = first;
    prev[folio] = head;
    prev[first] = folio;
    next[head] = folio;
  }

  /** list_add_tail(): at the cold end. */
  addTail(head: number, folio: number): void {
    const { next, prev } = this;
    const last = prev[head] as number;
    prev[folio] = last;
    next[folio] = head;
    next[last] = folio;
    prev[head] = folio;
  }

  /** list_del(). */
  del(folio: number): void {
    const { next, prev } = this;
    const after = next[folio] as number;
    const before = prev[folio] as number;
    next[before] = after;
    prev[after] = before;
    next[folio] = NONE;
    prev[folio] = NONE;
  }

  /** list_move(): unlink and insert at the hot end. */
  move(head: number, folio: number): void {
    const { next, prev } = this;
    const after = next[folio] as number;
    const before = prev[folio] as number;
    next[before] = after;
    prev[after] = before;
    const first = next[head] as number;
    next[folio] = first;
    prev[folio] = head;
    prev[first] = folio;
    next[head] = folio;
  }

  /** list_move_tail(): unlink and insert at the cold end. */
  moveTail(head: number, folio: number): void {
    const { next, prev } = this;
    const after = next[folio] as number;
    const before = prev[folio] as number;
    next[before] = after;
    prev[after] = before;
    const last = prev[head] as number;
    prev[folio] = last;
    next[folio] = head;
    next[last] = folio;
    prev[head] = folio;
  }

  /** list_bulk_move_tail(): the linked run `first`..`last` goes to the cold end, in its order. */
  bulkMoveTail(head: number, first: number, last: number): void {
    const { next, prev } = this;
    const before = prev[first] as number;
    const after = next[last] as number;
    next[before] = after;
    prev[after] = before;
    const oldTail = prev[head] as number;
    next[oldTail] = first;
    prev[first] = oldTail;
    next[last] = head;
    prev[head] = last;
  }

  /**
   * The folios from hot to cold end; for checks and dumps, not for hot loops. The list must not
   * change before it ends.
   */
  *walk(head: number): Generator<number, void, undefined> {
    for (
      let folio = this.next[head] as number;
      folio !== head;
      folio = this.next[folio] as number
    ) {
      yield folio;
    }
  }
}
