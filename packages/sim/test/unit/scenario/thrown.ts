import { expect } from "vitest";
import { ScenarioError } from "../../../src/scenario/scenario-error.ts";

/** The message of the `ScenarioError` that `run` throws; "" when it throws none. */
export function scenarioErrorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ScenarioError);
    return (error as ScenarioError).message;
  }
  return "";
}
