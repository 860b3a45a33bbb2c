import { expect } from "vitest";
import { FeatureError } from "../../../src/features/feature-error.ts";

/** The message of the `FeatureError` that `run` throws; "" when it throws none. */
export function featureErrorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(FeatureError);
    return (error as FeatureError).message;
  }
  return "";
}
