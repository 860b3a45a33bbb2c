import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A directory with these files, by path inside it; gone when the test ends. */
export function scratchDirectory(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(path.join(tmpdir(), "lrugen-cli-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return directory;
}
