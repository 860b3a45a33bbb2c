import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * Measures one case in a process of its own: type feedback that other cases left in an engine changes
 * the result by up to 40x. The same Node runs it with the same flags.
 * @param main the file of this program
 * @returns its figures, by metric, by repetition
 * @throws Error naming the case when the process fails
 */
export async function measureInOwnProcess(main: string, name: string): Promise<number[][]> {
  const child = spawn(process.execPath, [...process.execArgv, main, "--in-process", name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(`${signal ?? code}`));
  });
  const [output, end] = await Promise.all([text(child.stdout), ended]);
  const figures = parseFigures(output);
  if (end !== "0" || figures === null) {
    throw new Error(`case ${name}: its process ended with ${end} and no figures`);
  }
  return figures;
}

/** What `--in-process` prints. */
export function formatFigures(figures: readonly (readonly number[])[]): string {
  return JSON.stringify(figures);
}

/** Reads that. @returns null when it is something else */
export function parseFigures(output: string): number[][] | null {
  try {
    const rows: unknown = JSON.parse(output);
    return isFigures(rows) ? rows : null;
  } catch {
    return null;
  }
}

function isFigures(value: unknown): value is number[][] {
  return (
    Array.isArray(value) &&
    value.every((row) => Array.isArray(row) && row.every((figure) => typeof figure === "number"))
  );
}
