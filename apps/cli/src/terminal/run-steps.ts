import { setImmediate } from "node:timers/promises";
import type { CliIo } from "./cli-io.ts";

/** How a run ended. */
export interface StepsOutcome<T> {
  readonly result: T;
  /** The user stopped it. */
  readonly interrupted: boolean;
}

/**
 * Runs something step by step, shows how far it is, and stops it when the user asks to: then the next
 * step is sent `true`.
 * @param describe the progress line
 */
export async function runSteps<P, T>(
  steps: Generator<P, T, boolean | undefined>,
  io: CliIo,
  describe: (progress: P) => string,
): Promise<StepsOutcome<T>> {
  const line = io.progress();
  const interrupts = io.watchInterrupts();
  try {
    let step = steps.next();
    while (step.done !== true) {
      line.show(describe(step.value));
      // oxlint-disable-next-line no-await-in-loop -- signals and the spinner get their turn here
      await setImmediate();
      step = steps.next(interrupts.asked);
    }
    return { result: step.value, interrupted: interrupts.asked };
  } finally {
    line.end();
    interrupts.end();
  }
}
