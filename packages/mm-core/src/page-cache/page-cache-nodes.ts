// @hot

/** Entries of one node: XA_CHUNK_SIZE. */
const NODE_SLOTS = 64;

/** Slots of one node of a page-cache tree. */
export const PAGE_CACHE_NODE_SLOTS: number = NODE_SLOTS;

/** What a slot holds besides folios: nothing, or a shadow (its value is beside it), or a swap entry. */
const EMPTY = 0;
const SHADOW = -1;
/** Swap entries count down from here: SWAP - swap slot. */
const SWAP = -1;

/**
 * The leaf nodes of every page-cache tree: 64 slots each, a slot holding a folio (every page of a
 * large one), a shadow of an evicted one, a swap entry of shared memory (PGC-03), or nothing.
 *
 * The pool grows by doubling when files need more nodes than there were; lookups never allocate.
 * Source: PGC-01, PGC-02, PGC-07; lib/xarray.c, mm/workingset.c.
 */
export class PageCacheNodes {
  /** folio + 1, SHADOW, SWAP - swap slot, or EMPTY, [node][slot]. */
  private slots: Int32Array;
  /** Shadow values, [node][slot]; meaningful where the slot is a shadow. */
  private shadows: Float64Array;
  private folioCounts: Uint8Array;
  /** Slots with shadows and swap entries. */
  private valueCounts: Uint8Array;
  private readonly freeNodes: number[] = [];
  private nextNode = 1;

  /** @param nodes nodes to have room for at first */
  constructor(nodes: number) {
    this.slots = new Int32Array(nodes * NODE_SLOTS);
    this.shadows = new Float64Array(nodes * NODE_SLOTS);
    this.folioCounts = new Uint8Array(nodes);
    this.valueCounts = new Uint8Array(nodes);
  }

  /** An empty node; node 0 is never given out. */
  alloc(): number {
    const node = this.freeNodes.pop() ?? this.nextNode++;
    if (node >= this.folioCounts.length) this.grow();
    return node;
  }

  /** Gives an empty node back. */
  free(node: number): void {
    if (this.folioCounts[node] !== 0 || this.valueCounts[node] !== 0) {
      throw new Error("freed a page-cache node that holds something");
    }
    this.freeNodes.push(node);
  }

  /** The folio in a slot, −1 = none. */
  folioAt(node: number, slot: number): number {
    const value = this.slots[node * NODE_SLOTS + slot] as number;
    return value > 0 ? value - 1 : -1;
  }

  /** Whether a slot holds a shadow. */
  isShadow(node: number, slot: number): boolean {
    return this.slots[node * NODE_SLOTS + slot] === SHADOW;
  }

  /** The swap slot that a slot refers to, 0 = it does not. */
  swapAt(node: number, slot: number): number {
    const value = this.slots[node * NODE_SLOTS + slot] as number;
    return value < SWAP ? SWAP - value : 0;
  }

  /** Whether a slot holds a shadow or a swap entry. */
  isValue(node: number, slot: number): boolean {
    return (this.slots[node * NODE_SLOTS + slot] as number) < EMPTY;
  }

  /** The value of a shadow slot. */
  shadowAt(node: number, slot: number): number {
    return this.shadows[node * NODE_SLOTS + slot] as number;
  }

  setFolio(node: number, slot: number, folio: number): void {
    this.clear(node, slot);
    this.slots[node * NODE_SLOTS + slot] = folio + 1;
    this.folioCounts[node]! += 1;
  }

  setShadow(node: number, slot: number, value: number): void {
    this.clear(node, slot);
    this.slots[node * NODE_SLOTS + slot] = SHADOW;
    this.shadows[node * NODE_SLOTS + slot] = value;
    this.valueCounts[node]! += 1;
  }

  /** @param swap swap slot, above 0 */
  setSwap(node: number, slot: number, swap: number): void {
    this.clear(node, slot);
    this.slots[node * NODE_SLOTS + slot] = SWAP - swap;
    this.valueCounts[node]! += 1;
  }

  /** Empties a slot. */
  clear(node: number, slot: number): void {
    const at = node * NODE_SLOTS + slot;
    const value = this.slots[at] as number;
    if (value === EMPTY) return;
    if (value < EMPTY) this.valueCounts[node]! -= 1;
    else this.folioCounts[node]! -= 1;
    this.slots[at] = EMPTY;
  }

  /** Slots of a node that hold folios. */
  folios(node: number): number {
    return this.folioCounts[node] as number;
  }

  /** Slots of a node that hold shadows or swap entries. */
  valueSlots(node: number): number {
    return this.valueCounts[node] as number;
  }

  private grow(): void {
    const nodes = this.folioCounts.length * 2;
    this.slots = copyInto(new Int32Array(nodes * NODE_SLOTS), this.slots);
    this.shadows = copyInto(new Float64Array(nodes * NODE_SLOTS), this.shadows);
    this.folioCounts = copyInto(new Uint8Array(nodes), this.folioCounts);
    this.valueCounts = copyInto(new Uint8Array(nodes), this.valueCounts);
  }
}

function copyInto<A extends Int32Array | Float64Array | Uint8Array>(target: A, source: A): A {
  target.set(source);
  return target;
}
