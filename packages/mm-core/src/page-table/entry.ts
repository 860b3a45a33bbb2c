/**
 * A page-table entry in one Int32: six flag bits, then a 26-bit frame, table or slot number.
 *
 * Present leaf (PTE, or PMD with ENTRY_LEAF): frame number. Present, not leaf: number of the table
 * below. Not present, not zero: a swap entry. `ENTRY_DIRTY` is the kernel's view of dirty, hardware
 * or saved; hardware's bit is dirty and writable (PT-21).
 *
 * Source: PT-02..PT-04, PT-21; arch/x86/include/asm/pgtable_types.h.
 */
export const ENTRY_PRESENT: number = 1 << 0;
/** The hardware may write through it. */
export const ENTRY_WRITE: number = 1 << 1;
/** Accessed, "young"; on non-leaf entries too (PT-03). */
export const ENTRY_ACCESSED: number = 1 << 2;
/** Dirty, in hardware or saved (PT-21). */
export const ENTRY_DIRTY: number = 1 << 3;
/** Maps no folio: the zero page (FLT-12). */
export const ENTRY_SPECIAL: number = 1 << 4;
/** A PMD entry that maps a 2 MiB folio itself (PSE). */
export const ENTRY_LEAF: number = 1 << 5;
/**
 * On an entry that is not present: the page it stands for belongs to this address space alone, so it
 * may be written to without a copy (PT-02). The bit of ENTRY_WRITE, whose part it has.
 */
export const ENTRY_SWAP_EXCLUSIVE: number = 1 << 1;
/** Where the number begins: `entry >>> ENTRY_SHIFT`. */
export const ENTRY_SHIFT: number = 6;

/** Entries of one table. */
export const PTRS_PER_TABLE: number = 512;
/** Largest machine: 2^26 frames, 256 GiB. */
export const MAX_PFN: number = 1 << 26;
