/** It worked, and the result, if it is a verdict, says yes. */
export const EXIT_OK = 0;
/** The result says no, or there was no room to write it. */
export const EXIT_NO = 1;
/** Bad usage or input; nothing was written to stdout. */
export const EXIT_BAD_INPUT = 2;
/** Interrupted; what there was has been written. */
export const EXIT_INTERRUPTED = 130;
