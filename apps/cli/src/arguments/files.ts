import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { InputError } from "../input-error.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** A path from the command line: relative to where the user is, which `npm run` says in INIT_CWD. */
export function resolvePath({ env, cwd }: CliIo, given: string): string {
  return path.resolve(env["INIT_CWD"] ?? cwd, given);
}

/**
 * A file as text.
 * @param shown what the user calls it, for messages
 * @throws InputError when it cannot be read
 */
export function readText(file: string, shown: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw unreadable(error, shown, "file");
  }
}

/**
 * The names in a folder that end so, without that ending, in order.
 * @throws InputError when it cannot be read
 */
export function listFiles(folder: string, shown: string, extension: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(extension))
      .map((name) => name.slice(0, name.length - extension.length))
      .toSorted();
  } catch (error) {
    throw unreadable(error, shown, "directory");
  }
}

function unreadable(error: unknown, shown: string, expected: string): InputError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return new InputError(`${shown}: no such ${expected}`);
  if (code === "EISDIR") return new InputError(`${shown}: found a directory, expected a file`);
  if (code === "ENOTDIR") return new InputError(`${shown}: found a file, expected a directory`);
  if (code === "EACCES") return new InputError(`${shown}: no permission to read it`);
  throw error;
}
