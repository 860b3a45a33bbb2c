// @hot
import { NO_SLOT, SwapClusters } from "./swap-clusters.ts";

const NOWHERE = NO_SLOT;

/** No page frame in a slot. */
const NO_FRAME = -1;

/**
 * One word per slot of the swap device: how many entries refer to it, what frame caches it, the
 * shadow of the folio that was evicted from it, and whether what it holds is all zeroes.
 *
 * A slot is free as soon as nothing refers to it and no frame caches it (SWP-02). Shadow values are
 * the policy's; here they are numbers. References of cached folios are the caller's.
 *
 * Source: SWP-01, SWP-02; mm/swap_table.h, mm/swapfile.c.
 */
export class SwapTable {
  /** Pages of the device, its header at slot 0 included; 0 = no device. */
  readonly slots: number;
  /** Swap entries in page tables and slots of shared memory that refer to the slot. */
  readonly counts: Uint16Array;
  /** 1 = all zeroes, nothing is on the device (SWP-09). */
  readonly zeroMarks: Uint8Array;
  /** Page frame that caches the slot, −1 = none. Not the folio: splitting one changes nothing here. */
  readonly frames: Int32Array;
  /** Index of the memcg the slot is charged to. */
  readonly memcgs: Uint16Array;
  /** 1 = the memcg that swapped out is gone; the slot is charged to one above it. */
  readonly orphans: Uint8Array;
  /** Shadow values; NaN = none. */
  private readonly shadows: Float64Array;
  private readonly clusters: SwapClusters;

  constructor(slots: number) {
    this.slots = slots;
    this.clusters = new SwapClusters(slots);
    this.counts = new Uint16Array(slots);
    this.zeroMarks = new Uint8Array(slots);
    this.frames = new Int32Array(slots).fill(NO_FRAME);
    this.memcgs = new Uint16Array(slots);
    this.orphans = new Uint8Array(slots);
    this.shadows = new Float64Array(slots).fill(Number.NaN);
  }

  /** Slots that may still be given out. */
  get free(): number {
    return this.clusters.free;
  }

  /** vm_swap_full(): more than half is in use (SWP-07). */
  get isNearlyFull(): boolean {
    return this.free * 2 < this.slots - 1;
  }

  /** Whether the slot is given out. */
  isUsed(slot: number): boolean {
    return this.clusters.isUsed(slot);
  }

  /**
   * Takes `1 << order` contiguous, aligned slots (SWP-03) for a folio whose frames cache them from now
   * on. Counts are 0, nothing is marked.
   * @returns the first slot, or NOWHERE
   */
  alloc(order: number, pfn: number, memcg: number): number {
    const first = this.clusters.alloc(order);
    if (first === NOWHERE) return NOWHERE;
    for (let i = 0; i < 1 << order; i++) {
      this.frames[first + i] = pfn + i;
      this.memcgs[first + i] = memcg;
      this.orphans[first + i] = 0;
    }
    return first;
  }

  /** A frame caches a slot that was swapped out; the shadow is used up. */
  cache(slot: number, pfn: number): void {
    this.frames[slot] = pfn;
    this.shadows[slot] = Number.NaN;
  }

  /**
   * No frame caches the slot any more.
   * @param shadow value to leave, undefined for none
   * @returns whether the slot is free now
   */
  uncache(slot: number, shadow: number | undefined): boolean {
    this.frames[slot] = NO_FRAME;
    if (this.counts[slot] === 0) {
      this.release(slot);
      return true;
    }
    if (shadow !== undefined) this.shadows[slot] = shadow;
    return false;
  }

  /** One more entry refers to the slot (SWP-04). */
  dup(slot: number): void {
    this.counts[slot]! += 1;
  }

  /**
   * One entry less refers to the slot.
   * @returns whether the slot is free now
   * @throws Error when none did
   */
  put(slot: number): boolean {
    if (this.counts[slot] === 0) throw new Error(`swap slot ${slot} has no entry to drop`);
    if (--this.counts[slot]! > 0 || this.frames[slot] !== NO_FRAME) return false;
    this.release(slot);
    return true;
  }

  /** The memcg with index `from` is gone: what it is charged for is charged to its parent anyway. */
  orphan(from: number, parent: number): void {
    for (let slot = NOWHERE + 1; slot < this.slots; slot++) {
      if (!this.isUsed(slot) || this.memcgs[slot] !== from) continue;
      this.memcgs[slot] = parent;
      this.orphans[slot] = 1;
    }
  }

  /** The shadow left in a slot, NaN when there is none. */
  shadowAt(slot: number): number {
    return this.shadows[slot] as number;
  }

  private release(slot: number): void {
    this.zeroMarks[slot] = 0;
    this.shadows[slot] = Number.NaN;
    this.clusters.release(slot);
  }
}
