/** How hard a charge tries before it fails: the row of CHG-23 that its user belongs to. */

/** Blocking, all retries, OOM up to order 3: page faults, page tables, read() of one page. */
export const CHARGE_FULL: number = 0;
/** __GFP_NORETRY: reclaim, drain, reclaim, and no more: readahead, huge pages without advice. */
export const CHARGE_NORETRY: number = 1;
/** May not block: one try, no reclaim: huge pages under the other defrag settings, tree nodes. */
export const CHARGE_NOWAIT: number = 2;
