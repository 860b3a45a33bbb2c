// @hot
/** Slots of one cluster with THP_SWAP (SWP-01). */
const CLUSTER_SLOTS = 512;
/** Orders a folio may have: 0..9. */
const NR_ORDERS = 10;
const NONE = -1;
/** Tag of a cluster without slots in use. */
const FREE = 255;

/** "No slot": slot 0 is the header of the device and never given out. */
export const NO_SLOT: number = 0;
const NOWHERE = NO_SLOT;

/**
 * Which slots of a swap device are in use, by clusters of 512: a cluster is filled with runs of one
 * order, the one it was first used for, until nothing else is left.
 *
 * Per order there is a hint, where the last run ended; then come other clusters of that order with
 * room, free clusters, and for order 0 clusters of any other order.
 *
 * Source: SWP-01, SWP-03, for one device and one CPU; mm/swapfile.c:cluster_alloc_swap_entry.
 */
export class SwapClusters {
  readonly slots: number;
  /** Free slots. */
  free: number;
  private readonly inUse: Uint8Array;
  /** Slots in use by cluster. */
  private readonly counts: Uint16Array;
  /** Order of a cluster's runs, or FREE. */
  private readonly orders: Uint8Array;
  /** Slot to go on at, by order; NONE = no cluster at hand. */
  private readonly hints: Int32Array = new Int32Array(NR_ORDERS).fill(NONE);
  /** Cluster after the free one taken last: they are used in turn, as freed ones queue up behind. */
  private nextFree = 0;

  /** @param slots pages of the device, the header at 0 included; 0 = no device */
  constructor(slots: number) {
    this.slots = slots;
    this.free = Math.max(0, slots - 1);
    this.inUse = new Uint8Array(slots);
    const clusters = Math.ceil(slots / CLUSTER_SLOTS);
    this.counts = new Uint16Array(clusters);
    this.orders = new Uint8Array(clusters).fill(FREE);
    if (slots > 0) this.inUse[0] = 1;
  }

  /** Whether a slot is given out. */
  isUsed(slot: number): boolean {
    return this.inUse[slot] === 1;
  }

  /**
   * Takes `1 << order` contiguous, aligned slots of one cluster.
   * @returns the first one, or NOWHERE
   */
  alloc(order: number): number {
    if (this.free < 1 << order) return NOWHERE;
    const hint = this.hints[order] as number;
    let slot = hint === NONE ? NOWHERE : this.scan(hint, order);
    if (slot === NOWHERE) slot = this.fromCluster(order, order);
    if (slot === NOWHERE) slot = this.fromFreeCluster(order);
    if (slot === NOWHERE && order === 0) slot = this.fromCluster(NONE, order);
    if (slot !== NOWHERE) this.take(slot, order);
    return slot;
  }

  /** Gives one slot back. */
  release(slot: number): void {
    if (this.inUse[slot] !== 1) throw new Error(`freed swap slot ${slot}, which is free`);
    this.inUse[slot] = 0;
    this.free += 1;
    const cluster = slot >> 9;
    if (--this.counts[cluster]! === 0) this.orders[cluster] = FREE;
  }

  private take(slot: number, order: number): void {
    const pages = 1 << order;
    const cluster = slot >> 9;
    this.inUse.fill(1, slot, slot + pages);
    if (this.orders[cluster] === FREE) this.orders[cluster] = order;
    this.counts[cluster]! += pages;
    this.free -= pages;
    const next = slot + pages;
    this.hints[order] = next % CLUSTER_SLOTS === 0 ? NONE : next;
  }

  /** First aligned free run of the cluster of `from`, at or after it. */
  private scan(from: number, order: number): number {
    const pages = 1 << order;
    const end = Math.min(this.slots, (from | (CLUSTER_SLOTS - 1)) + 1);
    for (let slot = (from + pages - 1) & -pages; slot + pages <= end; slot += pages) {
      if (this.isFreeRun(slot, pages)) return slot;
    }
    return NOWHERE;
  }

  private isFreeRun(slot: number, pages: number): boolean {
    for (let i = slot; i < slot + pages; i++) if (this.inUse[i] === 1) return false;
    return true;
  }

  /** From a cluster in use for runs of `kind`, of any order when it is NONE. */
  private fromCluster(kind: number, order: number): number {
    for (let cluster = 0; cluster < this.counts.length; cluster++) {
      const own = this.orders[cluster] as number;
      if (own === FREE || (kind !== NONE && own !== kind)) continue;
      if ((this.counts[cluster] as number) + (1 << order) > CLUSTER_SLOTS) continue;
      const slot = this.scan(cluster * CLUSTER_SLOTS, order);
      if (slot !== NOWHERE) return slot;
    }
    return NOWHERE;
  }

  private fromFreeCluster(order: number): number {
    const clusters = this.counts.length;
    for (let i = 0; i < clusters; i++) {
      const cluster = (this.nextFree + i) % clusters;
      if (this.orders[cluster] !== FREE) continue;
      const slot = this.scan(cluster * CLUSTER_SLOTS, order);
      if (slot === NOWHERE) continue;
      this.nextFree = (cluster + 1) % clusters;
      return slot;
    }
    return NOWHERE;
  }
}
