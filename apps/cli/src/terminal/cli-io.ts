/** Everything a verb does to the world outside, so that tests need no process. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory the process runs in. */
  readonly cwd: string;
  /** Stdout is a terminal. */
  readonly outputIsTerminal: boolean;
  /** Results, to stdout. */
  write(text: string): void;
  /** Complaints, to stderr. */
  writeError(text: string): void;
  /** All of stdin. */
  readInput(): Promise<string>;
  /** A line on stderr that says how far it is; call `end` when it is over. */
  progress(): ProgressLine;
  /** Watches for Ctrl-C until `end`. */
  watchInterrupts(): InterruptWatch;
}

/** A line that is written over again and again. */
export interface ProgressLine {
  show(text: string): void;
  /** Takes the line away. */
  end(): void;
}

/** Whether the user wants to stop. */
export interface InterruptWatch {
  readonly asked: boolean;
  end(): void;
}

/** Colour is for terminals, and NO_COLOR turns it off there. */
export function wantsColor({ env, outputIsTerminal }: CliIo): boolean {
  return outputIsTerminal && (env["NO_COLOR"] ?? "") === "";
}
