/**
 * A secondary MMU that follows an address space (KVM). Ranges are virtual pages [start, end).
 * Source: MMUN-*; include/linux/mmu_notifier.h.
 */
export interface MmuNotifier {
  /** Entries of the range are about to change. */
  invalidateStart(start: number, end: number): void;
  /** They have changed. */
  invalidateEnd(start: number, end: number): void;
  /** Clears accessed bits and flushes. @returns whether any was set */
  clearFlushYoung(start: number, end: number): boolean;
  /** Clears accessed bits without a flush. @returns whether any was set */
  clearYoung(start: number, end: number): boolean;
  /** Reads accessed bits. @returns whether any is set */
  testYoung(start: number, end: number): boolean;
  /** The address space is going away. */
  release(): void;
}
