/** A feature list, feature set or preset name that cannot be; the message is one line. */
export class FeatureError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FeatureError";
  }
}
