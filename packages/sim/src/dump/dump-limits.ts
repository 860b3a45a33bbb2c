/** Pages of a region whose `pte` and `lru` are dumped: of a longer one the first 256 MiB. */
export const DUMPED_PAGES_MAX = 65536;

/** Letters of a region's `pmd`. */
export const DUMPED_PMDS_MAX = 1000;
