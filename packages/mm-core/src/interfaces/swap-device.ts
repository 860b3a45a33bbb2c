/**
 * Where anonymous pages go: slots of one page each. What a page holds is one number (see
 * FolioTable.contents), given and taken as a run of `pages` numbers from `first` of an array.
 * Source: SWP-01..SWP-23; mm/swapfile.c.
 */
export interface SwapDevice {
  /** Slots in all, the header at 0 included. */
  readonly slots: number;
  /** Reads and writes finish inside the call (zram); see FLT-40, FLT-46. */
  readonly synchronous: boolean;
  /** Writes `pages` pages from `slot`. @returns 0 or a negative errno */
  write(slot: number, pages: number, contents: Uint8Array, first: number): number;
  /** Reads `pages` pages from `slot`. @returns 0 or a negative errno */
  read(slot: number, pages: number, contents: Uint8Array, first: number): number;
  /** The slots hold nothing any more. */
  free(slot: number, pages: number): void;
}
