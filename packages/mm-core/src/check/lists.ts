import { NIL } from "../folio/folio-table.ts";
import { MAX_PAGE_ORDER, ZONE_NAMES } from "../folio/zones.ts";
import type { Memory } from "../memory/memory.ts";
import { linkedLruvecsOf, lruListsOf } from "./lru-list.ts";

/** Which list each page frame was found on, walking every list of the machine once. */
export interface ListMembership {
  /** By frame: the head of its list, NIL when it was found on none. */
  readonly listOf: Int32Array;
  /** What was wrong on the way, see checkLists. */
  readonly violations: readonly string[];
}

/**
 * Follows every list that is in use from its head. A list that is broken somewhere counts up to there.
 */
export function findMembers(memory: Memory): ListMembership {
  const { nrPages, next, prev } = memory.folios;
  const listOf = new Int32Array(nrPages).fill(NIL);
  const violations: string[] = [];
  const names = headNames(memory);
  const nameOf = (head: number): string => names.get(head)?.name ?? `list head ${head}`;
  const place = (slot: number): string => {
    if (slot === NIL) return "nothing";
    return slot < nrPages ? `folio ${slot}` : nameOf(slot);
  };
  for (let head = nrPages; head < next.length; head++) {
    if (next[head] === NIL && prev[head] === NIL) continue; // never taken into use
    const report = (what: string): void => {
      violations.push(`${names.get(head)?.rule ?? "MINV-07"}: ${nameOf(head)}: ${what}`);
    };
    for (let at = head; ;) {
      const after = next[at] as number;
      if (after !== head && !(after >= 0 && after < nrPages)) {
        report(`next of ${place(at)} is ${place(after)}, expected a page frame or the list's head`);
        break;
      }
      const back = prev[after] as number;
      if (back !== at) report(`prev of ${place(after)} is ${place(back)}, expected ${place(at)}`);
      if (after === head) break;
      if (listOf[after] !== NIL) {
        report(`folio ${after} is also on ${nameOf(listOf[after] as number)}, expected it on one`);
        break;
      }
      listOf[after] = head;
      at = after;
    }
  }
  return { listOf, violations };
}

/**
 * Whether every list is a ring of forward and backward links that agree, and each folio is on at
 * most one of them, once. Holds between any two list operations.
 *
 * Rules: MINV-07 for LRU lists and for those that policies made for themselves; INV-20 for the free
 * lists of the allocator.
 *
 * @returns one line for each violation: rule, list, what was found, what was expected
 */
export function checkLists(memory: Memory): string[] {
  return [...findMembers(memory).violations];
}

interface HeadName {
  readonly rule: string;
  readonly name: string;
}

function headNames(memory: Memory): Map<number, HeadName> {
  const names = new Map<number, HeadName>();
  for (const lruvec of linkedLruvecsOf(memory)) {
    for (const { head, name } of lruListsOf(lruvec)) names.set(head, { rule: "MINV-07", name });
  }
  const { allocator } = memory;
  for (const [id, { node, zone }] of allocator.zones.entries()) {
    for (let order = 0; order <= MAX_PAGE_ORDER; order++) {
      const name = `free list of node ${node} ${ZONE_NAMES[zone]} order ${order}`;
      names.set(allocator.freeList(id, order), { rule: "INV-20", name });
    }
  }
  return names;
}
