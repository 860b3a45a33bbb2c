/** VMA flags by their kernel values (chapter 3.5 of the core rules; include/linux/mm.h). */
export const VM_READ: number = 0x1;
export const VM_WRITE: number = 0x2;
export const VM_EXEC: number = 0x4;
/** Shared mapping: no copy on write (VMA-09). */
export const VM_SHARED: number = 0x8;
export const VM_PFNMAP: number = 0x400;
/** mlocked: new folios go to the mlock batch, walks skip it (VMA-01). */
export const VM_LOCKED: number = 0x2000;
export const VM_IO: number = 0x4000;
/** MADV_SEQUENTIAL: no recency (VMA-03). */
export const VM_SEQ_READ: number = 0x8000;
/** MADV_RANDOM: no recency (VMA-03). */
export const VM_RAND_READ: number = 0x1_0000;
export const VM_DONTEXPAND: number = 0x4_0000;
export const VM_HUGETLB: number = 0x40_0000;
export const VM_MIXEDMAP: number = 0x1000_0000;
/** MADV_HUGEPAGE (VMA-08). */
export const VM_HUGEPAGE: number = 0x2000_0000;
/** MADV_NOHUGEPAGE (VMA-08). */
export const VM_NOHUGEPAGE: number = 0x4000_0000;

/** VMA-02: mappings that mlock and the page-table walk leave alone. */
export const VM_SPECIAL: number = VM_IO | VM_DONTEXPAND | VM_PFNMAP | VM_MIXEDMAP;
/** Some access is allowed (VMA-06 is its absence). */
export const VM_ACCESS_FLAGS: number = VM_READ | VM_WRITE | VM_EXEC;
