import { readdirSync, readFileSync, statSync } from "node:fs";
import { devNull } from "node:os";
import path from "node:path";
import { InputError } from "../input-error.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/**
 * A path from the command line: relative to where the user is, which `npm run` says in INIT_CWD.
 * @throws InputError for an empty one: a variable that is not set must not mean where the user is
 */
export function resolvePath(
  { env, cwd }: CliIo,
  given: string,
  expected: "file" | "directory",
): string {
  if (given === "") throw new InputError(`"": found an empty name, expected a ${expected}`);
  return path.resolve(env["INIT_CWD"] ?? cwd, given);
}

/**
 * A file as text.
 * @param shown what the user calls it, for messages
 * @throws InputError when it cannot be read
 */
export function readText(file: string, shown: string): string {
  try {
    if (isEndless(file)) throw new InputError(`${shown}: found a device, expected a file`);
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

/** A character device may have no end (/dev/zero) or wait for ever; the null device is a file without text. */
function isEndless(file: string): boolean {
  const found = statSync(file);
  return found.isCharacterDevice() && found.rdev !== statSync(devNull).rdev;
}

function unreadable(error: unknown, shown: string, expected: string): InputError {
  if (error instanceof InputError) return error;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return new InputError(`${shown}: no such ${expected}`);
  if (code === "EISDIR") return new InputError(`${shown}: found a directory, expected a file`);
  if (code === "ENOTDIR") return new InputError(`${shown}: found a file, expected a directory`);
  if (code === "EACCES") return new InputError(`${shown}: no permission to read it`);
  throw error;
}
