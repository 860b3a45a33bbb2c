import { text } from "node:stream/consumers";
import type { CliIo, InterruptWatch, ProgressLine } from "./cli-io.ts";
import { SpinnerLine } from "./spinner-line.ts";

const SILENT: ProgressLine = { show: () => {}, end: () => {} };

/** The real stdin, stdout and stderr. A reader that goes away (`| head`) ends the process quietly. */
export function processIo(): CliIo {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit();
    });
  }
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
