import { NotModelledError } from "@lrugen/mm-core";

/**
 * A page fault that the kernel takes again and again: memory.high takes its page back each time (seen on
 * 7.3.4). The fault has ended without its page; the guest may go on with the next command.
 */
export class EndlessFaultError extends NotModelledError {
  override name = "EndlessFaultError";

  constructor() {
    super("a fault that is retried for ever (the limits leave no room for the page)");
  }
}
