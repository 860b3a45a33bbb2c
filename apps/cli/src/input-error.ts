/** Something the user gave cannot be used; the message is one line that names it. */
export class InputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InputError";
  }
}
