// @hot
import { FOLIO_BATCH_SIZE } from "@lrugen/mm-core";

const CAPACITY = FOLIO_BATCH_SIZE;

/** munlock of a folio. */
export const MUNLOCK_TAG: number = 0;
/** mlock of a folio that is on the LRU, or isolated from it. */
export const MLOCK_LRU_TAG: number = 1;
/** mlock of a fresh folio. */
export const MLOCK_NEW_TAG: number = 2;

/**
 * The mlock batch of a CPU: folios with what is to happen to them. The kernel puts the tag into the
 * low pointer bits; here it has an array of its own.
 * Source: BATCH-03; mm/mlock.c:struct mlock_fbatch.
 */
export class MlockBatch {
  /** Slots; the first `count` are in use. */
  readonly folios: Int32Array = new Int32Array(CAPACITY);
  readonly tags: Uint8Array = new Uint8Array(CAPACITY);
  count = 0;

  /**
   * folio_batch_add(); the batch must not be full.
   * @returns free slots left, 0 = it just became full
   */
  add(folio: number, tag: number): number {
    this.folios[this.count] = folio;
    this.tags[this.count++] = tag;
    return CAPACITY - this.count;
  }
}
