/** No limit. */
export const PAGE_COUNTER_MAX: number = Infinity;

/**
 * struct page_counter: pages charged to one memcg and everything below it, and its limits.
 * Source: CHG-01..04; mm/page_counter.c.
 */
export class PageCounter {
  readonly parent: PageCounter | null;
  usage = 0;
  max: number = PAGE_COUNTER_MAX;
  high: number = PAGE_COUNTER_MAX;
  min = 0;
  low = 0;
  /** Effective protection, computed top-down by each reclaim (CHG-36). */
  emin = 0;
  elow = 0;
  /** Highest usage ever. */
  watermark = 0;

  constructor(parent: PageCounter | null) {
    this.parent = parent;
  }

  /**
   * page_counter_try_charge(): charges this counter and all above it, unless one would exceed its max.
   * @returns null, or the lowest counter that would; then nothing is charged (CHG-02)
   */
  tryCharge(pages: number): PageCounter | null {
    const over = firstOver(this, pages);
    if (over === null) add(this, pages);
    return over;
  }

  /** page_counter_charge(): the same without limits (CHG-03). */
  charge(pages: number): void {
    add(this, pages);
  }

  /** page_counter_uncharge(). */
  uncharge(pages: number): void {
    add(this, -pages);
  }

  /** mem_cgroup_margin(): pages that may still be charged here (CHG-04). */
  get margin(): number {
    return Math.max(this.max - this.usage, 0);
  }
}

/** The lowest counter from `first` upwards that `pages` more would bring above its max. */
function firstOver(first: PageCounter, pages: number): PageCounter | null {
  for (let counter: PageCounter | null = first; counter !== null; counter = counter.parent) {
    if (counter.usage + pages > counter.max) return counter;
  }
  return null;
}

/** @throws Error when a counter would fall below zero */
function add(first: PageCounter, pages: number): void {
  for (let counter: PageCounter | null = first; counter !== null; counter = counter.parent) {
    counter.usage += pages;
    if (counter.usage < 0) throw new Error("page counter below zero");
    if (counter.usage > counter.watermark) counter.watermark = counter.usage;
  }
}
