import ora, { type Ora } from "ora";
import type { ProgressLine } from "./cli-io.ts";

/** What is done sooner needs no progress line. */
const DELAY_MS = 1000;

/** A spinner with a text, once it has taken longer than a second. */
export class SpinnerLine implements ProgressLine {
  readonly #spinner: Ora;
  readonly #delay: NodeJS.Timeout;

  constructor(stream: NodeJS.WriteStream) {
    // Ctrl-C must reach the process.
    this.#spinner = ora({ stream, discardStdin: false });
    this.#delay = setTimeout(() => void this.#spinner.start(), DELAY_MS);
  }

  show(text: string): void {
    this.#spinner.text = text;
  }

  end(): void {
    clearTimeout(this.#delay);
    this.#spinner.stop();
  }
}
