// @hot
import { FOLIO_BATCH_SIZE } from "@lrugen/mm-core";

const CAPACITY = FOLIO_BATCH_SIZE;

/** What the slots of a batch are worth when it is emptied: a reference each (BATCH-33). */
export const REFERENCE_A_SLOT: Int32Array = new Int32Array(CAPACITY).fill(1);

/**
 * Up to 31 folios in the order they were added, which is the order they are processed in. Each slot
 * holds one reference (BATCH-33).
 * Source: BATCH-01; include/linux/folio_batch.h.
 */
export class FolioBatch {
  /** LRU_ADD .. LRU_MOVE_TAIL: what a drain does to the folios. */
  readonly kind: number;
  /** Slots; the first `count` are in use. */
  readonly folios: Int32Array = new Int32Array(CAPACITY);
  count = 0;

  constructor(kind: number) {
    this.kind = kind;
  }

  /**
   * folio_batch_add(); the batch must not be full.
   * @returns free slots left, 0 = it just became full
   */
  add(folio: number): number {
    this.folios[this.count++] = folio;
    return CAPACITY - this.count;
  }

  /** Whether a folio is in the batch, searched from the newest slot. */
  has(folio: number): boolean {
    const { folios } = this;
    for (let slot = this.count - 1; slot >= 0; slot--) {
      if (folios[slot] === folio) return true;
    }
    return false;
  }
}
