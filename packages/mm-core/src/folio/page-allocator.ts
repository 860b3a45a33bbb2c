// @hot
import type { FolioLists } from "./folio-lists.ts";
import { NIL, type FolioTable } from "./folio-table.ts";
import { PG_BUDDY } from "./page-flags.ts";
import { MAX_PAGE_ORDER, type Zone } from "./zones.ts";

const NONE = NIL;
const BUDDY = PG_BUDDY;
const MAX_ORDER = MAX_PAGE_ORDER;
const NR_ORDERS = MAX_PAGE_ORDER + 1;

/** List heads the allocator needs: one free list per zone and order. */
export function allocatorHeads(zones: number): number {
  return zones * NR_ORDERS;
}

/**
 * A binary buddy allocator over the frames: deterministic, ascending within a block.
 *
 * The kernel's order of free pages (per-CPU pagesets, migrate types, what boot left behind) is not
 * modelled; which frame a folio gets shows in nothing the fixtures compare.
 *
 * Source: mm/page_alloc.c, simplified.
 */
export class PageAllocator {
  /** Zones in frame order. */
  readonly zones: readonly Zone[];
  /** Free pages by zone. */
  readonly freePages: Float64Array;
  private readonly noMarks: Float64Array;
  private readonly firstHead: number;
  /** By block of the largest order: index into `zones`, and what zoneOf() and nodeOf() give. */
  private readonly zoneOfBlock: Uint16Array;
  private readonly zoneIdOfBlock: Uint8Array;
  private readonly nodeOfBlock: Uint16Array;
  /** Node that allocations try first: that of the CPU, or what the task's memory policy prefers. */
  localNode = 0;
  /**
   * By local node, zones in the order an allocation tries them: highest zone of that node first, then
   * the other nodes in turn.
   */
  private readonly zonelists: readonly (readonly number[])[];
  private readonly folios: FolioTable;
  private readonly lists: FolioLists;

  constructor(folios: FolioTable, lists: FolioLists, zones: readonly Zone[]) {
    this.folios = folios;
    this.lists = lists;
    this.zones = zones;
    this.freePages = new Float64Array(zones.length);
    this.noMarks = new Float64Array(zones.length);
    this.firstHead = lists.allocHeads(allocatorHeads(zones.length));
    const blocks = folios.nrPages >> MAX_ORDER;
    this.zoneOfBlock = new Uint16Array(blocks);
    this.zoneIdOfBlock = new Uint8Array(blocks);
    this.nodeOfBlock = new Uint16Array(blocks);
    for (const [id, { node, zone, start, end }] of zones.entries()) {
      this.zoneOfBlock.fill(id, start >> MAX_ORDER, end >> MAX_ORDER);
      this.zoneIdOfBlock.fill(zone, start >> MAX_ORDER, end >> MAX_ORDER);
      this.nodeOfBlock.fill(node, start >> MAX_ORDER, end >> MAX_ORDER);
      for (let pfn = start; pfn < end; pfn += 1 << MAX_ORDER) {
        this.addFree(id, pfn, MAX_ORDER, true);
      }
      this.freePages[id] = end - start;
    }
    const nodes = zones.at(-1)!.node + 1;
    this.zonelists = Array.from({ length: nodes }, (_, local) => {
      const distance = (zone: number): number => (zones[zone]!.node - local + nodes) % nodes;
      return [...zones.keys()].toSorted(
        (a, b) => distance(a) - distance(b) || zones[b]!.zone - zones[a]!.zone,
      );
    });
  }

  /** Kernel zone id of a frame. */
  zoneOf(pfn: number): number {
    return this.zoneIdOfBlock[pfn >> MAX_ORDER] as number;
  }

  /** Node of a frame. */
  nodeOf(pfn: number): number {
    return this.nodeOfBlock[pfn >> MAX_ORDER] as number;
  }

  /** Head of the list of free blocks of one order; `zone` is an index into `zones`. For checks. */
  freeList(zone: number, order: number): number {
    return this.firstHead + zone * NR_ORDERS + order;
  }

  /**
   * Takes `1 << order` naturally aligned frames.
   * @param marks free pages that zones must keep, by index into `zones`; default none
   * @returns the first frame, or NIL when no zone has such a block
   */
  alloc(order: number, marks: Float64Array = this.noMarks): number {
    for (const zone of this.zonelists[this.localNode] as readonly number[]) {
      if ((this.freePages[zone] as number) - (1 << order) < (marks[zone] as number)) continue;
      for (let from = order; from < NR_ORDERS; from++) {
        const pfn = this.lists.first(this.freeList(zone, from));
        if (pfn === NONE) continue;
        this.lists.del(pfn);
        for (let o = from; o > order; o--) this.addFree(zone, pfn + (1 << (o - 1)), o - 1, false);
        this.freePages[zone]! -= 1 << order;
        this.folios.flags[pfn] = 0;
        return pfn;
      }
    }
    return NONE;
  }

  /** Gives frames back; free buddies merge. The caller has dropped the last reference. */
  free(pfn: number, order: number): void {
    const { flags, order: orders } = this.folios;
    const zone = this.zoneOfBlock[pfn >> MAX_ORDER] as number;
    this.freePages[zone]! += 1 << order;
    const end = pfn + (1 << order);
    for (let page = pfn; page < end; page++) flags[page] = 0;
    let at = pfn;
    let o = order;
    for (; o < MAX_ORDER; o++) {
      const buddy = at ^ (1 << o);
      if (flags[buddy] !== BUDDY || orders[buddy] !== o) break;
      this.lists.del(buddy);
      flags[buddy] = 0;
      at = Math.min(at, buddy);
    }
    this.addFree(zone, at, o, false);
  }

  /** Whether a zone has a free block of exactly this order; `zone` is an index into `zones`. */
  hasFree(zone: number, order: number): boolean {
    return this.lists.first(this.freeList(zone, order)) !== NONE;
  }

  private addFree(zone: number, pfn: number, order: number, tail: boolean): void {
    this.folios.flags[pfn] = BUDDY;
    this.folios.order[pfn] = order;
    if (tail) this.lists.addTail(this.freeList(zone, order), pfn);
    else this.lists.add(this.freeList(zone, order), pfn);
  }
}
