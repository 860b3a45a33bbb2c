/**
 * What an access or a fault ended in: the bits of the kernel's vm_fault_t that reach a program.
 * Source: include/linux/mm_types.h:enum vm_fault_reason.
 */

/** The page is accessible. */
export const FAULT_NONE: number = 0;
/** No memory for a folio; nothing was mapped. */
export const FAULT_OOM: number = 0x1;
/** The address is mapped but has nothing behind it (beyond the end of a file). */
export const FAULT_SIGBUS: number = 0x2;
/** No VMA, or one that does not allow the access. */
export const FAULT_SIGSEGV: number = 0x40;

/** Not for programs: the fault had to read from the device (FLT-20). */
export const FAULT_MAJOR: number = 0x4;
/**
 * Not for programs: the mmap lock was dropped for the reading, and the fault has to be taken again.
 * Nothing was mapped.
 */
export const FAULT_RETRY: number = 0x400;
/** The codes with which nothing was mapped and nothing will be. */
export const FAULT_ERROR: number = FAULT_OOM | FAULT_SIGBUS | FAULT_SIGSEGV;
