/**
 * Something the kernel does and this version of the model does not. Thrown instead of a made-up
 * result; nothing was changed.
 */
export class NotModelledError extends Error {
  override name = "NotModelledError";

  /** @param what the operation, as a user would name it */
  constructor(what: string) {
    super(`${what} is not modelled in this version`);
  }
}
