import { text } from "node:stream/consumers";
import { EXIT_NO } from "../exit-code.ts";
import type { CliIo, InterruptWatch, ProgressLine } from "./cli-io.ts";
import { SpinnerLine } from "./spinner-line.ts";

const SILENT: ProgressLine = { show: () => {}, end: () => {} };

/** The real stdin, stdout and stderr. */
export function processIo(): CliIo {
  process.stdout.on("error", (error) => endUnwritten("stdout", error));
  process.stderr.on("error", (error) => endUnwritten("stderr", error));
  return {
    env: process.env,
    cwd: process.cwd(),
    outputIsTerminal: process.stdout.isTTY,
    write: (result) => void process.stdout.write(result),
    writeError: (complaint) => void process.stderr.write(complaint),
    readInput: () => text(process.stdin),
    progress,
    watchInterrupts,
  };
}

/**
 * Ends the process when a stream takes no more: quietly when its reader went away (`| head`), with a
 * line otherwise (a full disk), which is lost when it is stderr that is full.
 */
function endUnwritten(name: string, error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit();
  // "ENOSPC: no space left on device, write"
  const reason = error.message.replace(/, write$/, "");
  process.stderr.write(`lrugen: ${name}: ${reason}\n`);
  process.exit(EXIT_NO);
}

/** A terminal that says it has no columns would make the spinner clear lines for ever. */
function progress(): ProgressLine {
  const { isTTY, columns } = process.stderr;
  return isTTY && columns > 0 ? new SpinnerLine(process.stderr) : SILENT;
}

/** The first Ctrl-C asks, the next one kills as usual. */
function watchInterrupts(): InterruptWatch {
  let asked = false;
  const ask = (): void => {
    asked = true;
  };
  process.once("SIGINT", ask);
  return {
    get asked(): boolean {
      return asked;
    },
    end: () => void process.off("SIGINT", ask),
  };
}
