/** CONST-12: bins of one generation of the memcg LRU. */
export const MEMCG_NR_BINS: number = 8;

/** get_random_u32_below(MEMCG_NR_BINS): which bin a memcg goes to, and where a pass begins (MLRU-05). */
export interface BinChooser {
  /** The next bin, 0..7. */
  next(): number;
}

/** Bins one after the other: the default, so that equal runs give equal results. */
export class RoundRobinBins implements BinChooser {
  private last = MEMCG_NR_BINS - 1;

  next(): number {
    this.last = (this.last + 1) % MEMCG_NR_BINS;
    return this.last;
  }
}
