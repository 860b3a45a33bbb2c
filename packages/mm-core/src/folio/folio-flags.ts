/** One flag word a page frame: the kernel's page flags, LRU_REFS and LRU_GEN (see page-flags.ts). */
export type FolioFlags = Int32Array;

/** Type index of anon folios, i.e. those with PG_SWAPBACKED: shmem is anon too (FOL-03, CONV-05). */
export const LRU_ANON: number = 0;
/** Type index of file folios; lazily freed anon counts as file too (FOL-03). */
export const LRU_FILE: number = 1;
