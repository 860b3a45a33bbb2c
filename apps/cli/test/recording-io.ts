import { runCli } from "../src/run-cli.ts";
import type { CliIo, InterruptWatch, ProgressLine } from "../src/terminal/cli-io.ts";

/** What a test may set. */
export interface RecordingIoOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly outputIsTerminal?: boolean;
  /** Ctrl-C after this many progress lines. */
  readonly interruptAfter?: number;
}

/** A world outside that is written down. */
export class RecordingIo implements CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly outputIsTerminal: boolean;
  out = "";
  err = "";
  readonly shown: string[] = [];
  /** Progress lines and interrupt watches that have not ended. */
  open = 0;
  readonly #input: string;
  readonly #interruptAfter: number;

  constructor(options: RecordingIoOptions = {}) {
    this.env = options.env ?? {};
    this.cwd = options.cwd ?? import.meta.dirname;
    this.outputIsTerminal = options.outputIsTerminal ?? false;
    this.#input = options.input ?? "";
    this.#interruptAfter = options.interruptAfter ?? Infinity;
  }

  write(text: string): void {
    this.out += text;
  }

  writeError(text: string): void {
    this.err += text;
  }

  readInput(): Promise<string> {
    return Promise.resolve(this.#input);
  }

  progress(): ProgressLine {
    this.open += 1;
    return { show: (text) => void this.shown.push(text), end: () => void (this.open -= 1) };
  }

  watchInterrupts(): InterruptWatch {
    this.open += 1;
    const asked = (): boolean => this.shown.length >= this.#interruptAfter;
    return {
      get asked(): boolean {
        return asked();
      },
      end: () => void (this.open -= 1),
    };
  }
}

/** What a command line gave. */
export interface CliOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly io: RecordingIo;
}

/** Runs a command line, split at blanks. */
export async function run(line: string, options: RecordingIoOptions = {}): Promise<CliOutcome> {
  return runWords(
    line.split(" ").filter((word) => word !== ""),
    options,
  );
}

/** Runs a command line whose words may be empty or have blanks. */
export async function runWords(
  words: readonly string[],
  options: RecordingIoOptions = {},
): Promise<CliOutcome> {
  const io = new RecordingIo(options);
  const code = await runCli(words, io);
  return { code, out: io.out, err: io.err, io };
}
