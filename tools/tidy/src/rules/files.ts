import type { Repository, Violation } from "../repository.ts";
import { typescriptFiles } from "../workspace.ts";

const MAX_LINES = 400;

/** No TypeScript file is longer than 400 lines. */
export function fileSize(repository: Repository): Violation[] {
  return typescriptFiles(repository).flatMap((file) => {
    const text = repository.read(file) ?? "";
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    if (lines <= MAX_LINES) return [];
    return [
      { file, line: MAX_LINES + 1, message: `${lines} lines, expected at most ${MAX_LINES}` },
    ];
  });
}

/** Names that say where code was put, not what it is. */
const DRAWERS: ReadonlySet<string> = new Set(["util", "utils", "common", "helper", "helpers"]);

/** No folder or file is named after a drawer: a thing lives with the concept it serves. */
export function drawerNames(repository: Repository): Violation[] {
  return repository.paths.flatMap((file) => {
    const drawer = file.split("/").find((segment) => DRAWERS.has(segment.split(".")[0] ?? ""));
    if (drawer === undefined) return [];
    return [{ file, line: 1, message: `${drawer} names no concept: put it with what it serves` }];
  });
}

/** Every folder named `fixtures`, or the folder above it, says where its files come from. */
export function fixtureProvenance(repository: Repository): Violation[] {
  const folders = new Set(
    repository.paths.flatMap((file) => /^.*?\bfixtures(?=\/)/.exec(file)?.[0] ?? []),
  );
  const told = new Set(
    repository.paths.flatMap((file) => /^(.*)\/PROVENANCE[^/]*$/.exec(file)?.[1] ?? []),
  );
  return [...folders]
    .filter((folder) => !told.has(folder) && !told.has(folder.replace(/\/[^/]+$/, "")))
    .map((folder) => ({
      file: `${folder}/PROVENANCE.md`,
      line: 1,
      message: "found no such file: fixtures say what made them, and how to make them again",
    }));
}
