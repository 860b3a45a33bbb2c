/**
 * Something the kernel does and this version of the model does not. Thrown instead of a made-up
 * result; nothing was changed.
 */
export class NotModelledError extends Error {
  override name = "NotModelledError";
  /** The operation, as a user would name it. */
  readonly what: string;

  constructor(what: string) {
    super(`${what} is not modelled in this version`);
    this.what = what;
  }
}
