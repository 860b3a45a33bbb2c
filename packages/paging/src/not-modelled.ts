/**
 * A path was asked for that the model does not have. It is thrown before anything is changed, so
 * that a caller can refuse a scenario without half of it done.
 */
export class NotModelled extends Error {
  override readonly name: string = "NotModelled";
}
