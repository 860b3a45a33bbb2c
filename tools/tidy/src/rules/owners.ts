import type { Repository, Violation } from "../repository.ts";
import { workspacePackages } from "../workspace.ts";

const MAINTAINERS = "MAINTAINERS";
const CODEOWNERS = ".github/CODEOWNERS";

/** The states that a subsystem may have in `S:`. */
const STATES: ReadonlySet<string> = new Set(["Supported", "Maintained", "Odd Fixes", "Orphan"]);

/** One subsystem of MAINTAINERS. */
export interface Subsystem {
  readonly title: string;
  /** The line of the title, counted from 1. */
  readonly line: number;
  /** Mail addresses from `M:`. */
  readonly owners: readonly string[];
  /** Paths from `F:`; a directory ends with a slash. */
  readonly files: readonly string[];
  readonly states: readonly string[];
}

/** Reads MAINTAINERS: entries of a title line and tagged lines, separated by blank lines. */
export function parseMaintainers(text: string): Subsystem[] {
  const subsystems: Subsystem[] = [];
  let line = 1;
  for (const block of text.split("\n\n")) {
    const rows = block.split("\n");
    const first = rows.findIndex((row) => /^[A-Z]:\t/.test(row));
    if (first > 0) {
      const values = (tag: string): string[] =>
        rows.filter((row) => row.startsWith(`${tag}:\t`)).map((row) => row.slice(3).trim());
      subsystems.push({
        title: rows[first - 1] ?? "",
        line: line + first - 1,
        owners: values("M").map((owner) => /<([^>]+)>/.exec(owner)?.[1] ?? owner),
        files: values("F"),
        states: values("S"),
      });
    }
    line += rows.length + 1;
  }
  return subsystems;
}

/** Every package and every other path has an owner in MAINTAINERS, and every entry is whole. */
export function maintainerEntries(repository: Repository): Violation[] {
  const subsystems = parseMaintainers(repository.read(MAINTAINERS) ?? "");
  const files = new Set(subsystems.flatMap((subsystem) => subsystem.files));
  const unowned = workspacePackages(repository)
    .filter(({ directory }) => !files.has(`${directory}/`))
    .map(({ directory }) => ({
      file: MAINTAINERS,
      line: 1,
      message: `no entry has F: ${directory}/`,
    }));
  return [...unowned, ...subsystems.flatMap((subsystem) => incomplete(repository, subsystem))];
}

function incomplete(repository: Repository, subsystem: Subsystem): Violation[] {
  const { title, line, owners, files, states } = subsystem;
  const messages: string[] = [];
  if (owners.length === 0) messages.push(`${title}: found no M:`);
  if (files.length === 0) messages.push(`${title}: found no F:`);
  if (states.length !== 1 || !STATES.has(states[0] ?? "")) {
    messages.push(`${title}: S: is "${states.join()}", expected one of ${[...STATES].join(", ")}`);
  }
  for (const path of files.filter((pattern) => !exists(repository, pattern))) {
    messages.push(`${title}: F: ${path} matches no file`);
  }
  return messages.map((message) => ({ file: MAINTAINERS, line, message }));
}

function exists(repository: Repository, pattern: string): boolean {
  if (pattern === "*") return true;
  return repository.paths.some((file) =>
    pattern.endsWith("/") ? file.startsWith(pattern) : file === pattern,
  );
}

/**
 * CODEOWNERS says, in the same order, what MAINTAINERS says. Only `*` moves to the front, since the
 * last line that matches a path wins there.
 */
export function codeOwners(repository: Repository): Violation[] {
  const stated = parseMaintainers(repository.read(MAINTAINERS) ?? "").flatMap((subsystem) =>
    subsystem.files.map((path) => `${codeOwnersPath(path)} ${subsystem.owners.join(" ")}`),
  );
  const expected = [...stated.filter(isRest), ...stated.filter((entry) => !isRest(entry))];
  const found = (repository.read(CODEOWNERS) ?? "")
    .split("\n")
    .map((text, index) => ({ text: text.trim().replaceAll(/\s+/g, " "), line: index + 1 }))
    .filter(({ text }) => text !== "" && !text.startsWith("#"));
  for (const [index, want] of expected.entries()) {
    const got = found[index];
    if (got?.text !== want) {
      const message = `found "${got?.text ?? "the end"}", ${MAINTAINERS} says "${want}"`;
      return [{ file: CODEOWNERS, line: got?.line ?? 1, message }];
    }
  }
  return found.slice(expected.length).map(({ text, line }) => ({
    file: CODEOWNERS,
    line,
    message: `found "${text}", which ${MAINTAINERS} does not say`,
  }));
}

/** Whether the line of CODEOWNERS is the one for all that no other names. */
function isRest(entry: string): boolean {
  return entry.startsWith("* ");
}

function codeOwnersPath(path: string): string {
  return path === "*" ? path : `/${path}`;
}
