import { NIL } from "../folio/folio-table.ts";
import { PG_BUDDY, PG_HEAD, PG_TAIL } from "../folio/page-flags.ts";
import { MAX_PAGE_ORDER, ZONE_NAMES } from "../folio/zones.ts";
import type { Memory } from "../memory/memory.ts";
import { findMembers } from "./lists.ts";

/** What comes next in the frame space: a free block, a folio, or a frame that belongs to neither. */
interface Span {
  readonly start: number;
  readonly pages: number;
  readonly free: boolean;
}

/**
 * Whether free blocks and folios together cover every page frame exactly once, free blocks are on
 * the list of their zone and order, and the count of free pages agrees. Holds at any time.
 *
 * Rule: INV-20.
 *
 * @returns one line for each violation: rule, what was found, what was expected
 */
export function checkAllocator(memory: Memory): string[] {
  const { allocator } = memory;
  const violations: string[] = [];
  const report = (what: string): void => {
    violations.push(`INV-20: ${what}`);
  };
  const { listOf } = findMembers(memory);
  const onFreeList = checkFreeLists(memory, listOf, report);
  const freePages = new Float64Array(allocator.zones.length);
  for (const { start, pages, free } of spansOf(memory, report)) {
    if (!free) continue;
    freePages[zoneIndexOf(memory, start)]! += pages;
    if (!onFreeList.has(start)) report(`free block ${start} is on no free list, expected one`);
  }
  for (const [id, pages] of freePages.entries()) {
    const found = allocator.freePages[id] as number;
    if (found !== pages)
      report(`${zoneName(memory, id)}: freePages is ${found}, expected ${pages}`);
  }
  return violations;
}

/** @returns the frames that are on a free list */
function checkFreeLists(
  memory: Memory,
  listOf: Int32Array,
  report: (what: string) => void,
): Set<number> {
  const { allocator, folios } = memory;
  const lists = new Map<number, { readonly id: number; readonly order: number }>();
  for (const id of allocator.zones.keys()) {
    for (let order = 0; order <= MAX_PAGE_ORDER; order++) {
      lists.set(allocator.freeList(id, order), { id, order });
    }
  }
  const members = new Set<number>();
  for (const [pfn, head] of listOf.entries()) {
    const list = head === NIL ? undefined : lists.get(head);
    if (list === undefined) continue;
    members.add(pfn);
    const where = `${zoneName(memory, list.id)} order ${list.order}: frame ${pfn}`;
    const zone = zoneIndexOf(memory, pfn);
    if (folios.flags[pfn] !== PG_BUDDY) {
      report(`${where} has flags ${hex(folios.flags[pfn] as number)}, expected PG_BUDDY alone`);
    }
    if (folios.order[pfn] !== list.order) {
      report(`${where} has order ${folios.order[pfn]}, expected ${list.order}`);
    }
    if (zone !== list.id) report(`${where} is in ${zoneName(memory, zone)}, expected it here`);
  }
  return members;
}

/** The frame space from frame 0 on, as its flags tell it. */
function spansOf(memory: Memory, report: (what: string) => void): Span[] {
  const { flags, nrPages } = memory.folios;
  const spans: Span[] = [];
  for (let start = 0; start < nrPages;) {
    const word = flags[start] as number;
    const free = word === PG_BUDDY;
    if (word < 0) report(`frame ${start} is a tail page, expected the head of a folio before it`);
    const pages = free || (word > 0 && (word & PG_HEAD) !== 0) ? pagesAt(memory, start, report) : 1;
    checkInside(memory, start, pages, free, report);
    spans.push({ start, pages, free });
    start += pages;
  }
  return spans;
}

/** Size of the block or large folio at a frame, 1 when that cannot be. */
function pagesAt(memory: Memory, start: number, report: (what: string) => void): number {
  const { order, nrPages } = memory.folios;
  const found = order[start] as number;
  const pages = 2 ** found;
  if (found <= MAX_PAGE_ORDER && start % pages === 0 && start + pages <= nrPages) return pages;
  report(`frame ${start} begins 2^${found} pages, expected an aligned block inside the memory`);
  return 1;
}

/** The frames of a block after its first: nothing in a free one, tail pages in a folio. */
function checkInside(
  memory: Memory,
  start: number,
  pages: number,
  free: boolean,
  report: (what: string) => void,
): void {
  const { flags, next } = memory.folios;
  for (let pfn = start + 1; pfn < start + pages; pfn++) {
    const word = flags[pfn] as number;
    if (free && word !== 0) {
      report(`frame ${pfn} inside free block ${start} has flags ${hex(word)}, expected 0`);
    }
    if (!free && ((word & PG_TAIL) === 0 || next[pfn] !== start)) {
      report(`frame ${pfn} inside folio ${start} is no tail page of it, expected one`);
    }
  }
}

function zoneIndexOf({ allocator }: Memory, pfn: number): number {
  return allocator.zones.findIndex(({ start, end }) => pfn >= start && pfn < end);
}

function zoneName({ allocator }: Memory, id: number): string {
  const { node, zone } = allocator.zones[id]!;
  return `node ${node} ${ZONE_NAMES[zone]}`;
}

function hex(word: number): string {
  return `0x${(word >>> 0).toString(16)}`;
}
