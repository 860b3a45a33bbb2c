import { MAX_PAGE_ORDER, type PageAllocator } from "@lrugen/mm-core";

const PAGE_KIB = 4;
/** Bounds of min_free_kbytes as computed at boot. */
const MIN_FREE_KIB_LEAST = 128;
const MIN_FREE_KIB_MOST = 262_144;
/** vm.watermark_scale_factor, of 10,000. */
const SCALE_FACTOR = 10;

/**
 * Free pages that a zone should keep, by index of PageAllocator.zones.
 *
 * The kernel's default rule: min_free_kbytes is the integer square root of 16 times the memory in
 * KiB, within 128..262144, shared out by zone size; low and high are one and two steps above min,
 * where a step is a quarter of min or a thousandth of the zone, whichever is more. What boot has
 * taken, lowmem reserves and huge pages' larger minimum (khugepaged) are left out.
 *
 * Source: mm/page_alloc.c:init_per_zone_wmark_min, __setup_per_zone_wmarks.
 */
export class Watermarks {
  /** Below it only reclaimers may allocate. */
  readonly min: Float64Array;
  /** Below it kswapd is woken. */
  readonly low: Float64Array;
  /** kswapd stops there. */
  readonly high: Float64Array;
  private readonly allocator: PageAllocator;

  constructor(allocator: PageAllocator) {
    const sizes = allocator.zones.map(({ start, end }) => end - start);
    const pages = sizes.reduce((sum, size) => sum + size, 0);
    const root = Math.floor(Math.sqrt(pages * PAGE_KIB * 16));
    const minFree = Math.min(Math.max(root, MIN_FREE_KIB_LEAST), MIN_FREE_KIB_MOST) / PAGE_KIB;
    const mins = sizes.map((size) => Math.floor((Math.floor(minFree) * size) / pages));
    const steps = sizes.map((size, zone) =>
      Math.max(Math.floor(mins[zone]! / 4), Math.floor((size * SCALE_FACTOR) / 10_000)),
    );
    this.allocator = allocator;
    this.min = Float64Array.from(mins);
    this.low = Float64Array.from(mins, (min, zone) => min + steps[zone]!);
    this.high = Float64Array.from(mins, (min, zone) => min + 2 * steps[zone]!);
  }

  /** pgdat_balanced(): whether some zone of a node is above its high mark and has a block of the order. */
  isBalanced(node: number, order: number): boolean {
    const { zones, freePages } = this.allocator;
    return zones.some(
      (zone, i) =>
        zone.node === node &&
        (freePages[i] as number) - (1 << order) >= (this.high[i] as number) &&
        this.hasBlock(i, order),
    );
  }

  /**
   * Whether every zone of a node up to `reclaimIdx` has `spare` free pages above its high mark
   * (STOP-01).
   */
  hasSpare(node: number, reclaimIdx: number, spare: number): boolean {
    const { zones, freePages } = this.allocator;
    return zones.every(
      (zone, i) =>
        zone.node !== node ||
        zone.zone > reclaimIdx ||
        (freePages[i] as number) > (this.high[i] as number) + spare,
    );
  }

  /** Pages one round of kswapd wants: the high marks of a node, 32 a zone at least (CLS-06). */
  kswapdTarget(node: number): number {
    let pages = 0;
    for (const [i, zone] of this.allocator.zones.entries()) {
      if (zone.node === node) pages += Math.max(this.high[i] as number, 32);
    }
    return pages;
  }

  private hasBlock(zone: number, order: number): boolean {
    if (order === 0) return true;
    for (let o = order; o <= MAX_PAGE_ORDER; o++) if (this.allocator.hasFree(zone, o)) return true;
    return false;
  }
}
