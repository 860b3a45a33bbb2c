import type { SwapDevice } from "@lrugen/mm-core";

/** A slot that holds nothing. */
const EMPTY = -1;

/**
 * A compressed RAM block device as swap: reads and writes finish at once. The memory that stored pages
 * take is not charged to the machine.
 * Source: SWP-20, SWP-21, SWP-23; drivers/block/zram.
 */
export class Zram implements SwapDevice {
  readonly slots: number;
  readonly synchronous = true;
  /** Pages it holds. */
  stored = 0;
  private readonly contents: Int16Array;

  /** @param slots pages, the swap header included */
  constructor(slots: number) {
    this.slots = slots;
    this.contents = new Int16Array(slots).fill(EMPTY);
  }

  /** @returns 0 */
  write(slot: number, pages: number, contents: Uint8Array, first: number): number {
    for (let i = 0; i < pages; i++) {
      if (this.contents[slot + i] === EMPTY) this.stored += 1;
      this.contents[slot + i] = contents[first + i] as number;
    }
    return 0;
  }

  /**
   * @returns 0
   * @throws Error for a slot that was never written, or freed since
   */
  read(slot: number, pages: number, contents: Uint8Array, first: number): number {
    for (let i = 0; i < pages; i++) {
      const held = this.contents[slot + i] as number;
      if (held === EMPTY) throw new Error(`read swap slot ${slot + i}, which holds nothing`);
      contents[first + i] = held;
    }
    return 0;
  }

  /** Slot-free notification: what they held is discarded (SWP-20). */
  free(slot: number, pages: number): void {
    for (let i = slot; i < slot + pages; i++) {
      if (this.contents[i] !== EMPTY) this.stored -= 1;
      this.contents[i] = EMPTY;
    }
  }
}
