import type { Repository, Violation } from "../repository.ts";
import { inPackage, workspacePackages, type WorkspacePackage } from "../workspace.ts";

/** A fenced block of a Markdown text. */
export interface Example {
  /** As written after the fence: `ts`, `sh`, … */
  readonly language: string;
  readonly code: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
}

const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** Every fenced block, in order. */
export function examplesOf(markdown: string): Example[] {
  return [...markdown.matchAll(FENCED)].map((match) => ({
    language: match[1] ?? "",
    code: match[2] ?? "",
    line: markdown.slice(0, match.index).split("\n").length,
  }));
}

/** The languages that a reader can run as they stand. */
const RUNNABLE: ReadonlySet<string> = new Set(["ts", "sh"]);

/** A package's README opens, right below its title, with an example that runs. */
export function readmeOpensWithExample(repository: Repository): Violation[] {
  return workspacePackages(repository).flatMap((pkg) => {
    const file = inPackage(pkg, "README.md");
    const text = repository.read(file);
    if (text === undefined) return [];
    const lines = text.split("\n");
    if (lines[0]?.startsWith("# ") !== true) {
      return [{ file, line: 1, message: "expected the title, # NAME" }];
    }
    const next = lines.findIndex((line, index) => index > 0 && line.trim() !== "");
    const language = /^```(\w*)$/.exec(lines[next] ?? "")?.[1];
    if (language !== undefined && RUNNABLE.has(language)) return [];
    const message = `expected an example below the title, \`\`\`${[...RUNNABLE].join(" or ```")}`;
    return [{ file, line: Math.max(next, 0) + 1, message }];
  });
}

/** The README of a package with golden files shows the command that makes them again. */
export function goldenCommands(repository: Repository): Violation[] {
  return workspacePackages(repository)
    .filter((pkg) => hasGoldenFiles(repository, pkg))
    .flatMap((pkg) => {
      const file = inPackage(pkg, "README.md");
      const text = repository.read(file) ?? "";
      const code = [
        ...examplesOf(text).map((example) => example.code),
        ...[...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? ""),
      ];
      if (code.some((command) => /^.*\b(?:npm|pnpm|node|vitest)\b.*\bgolden\b/m.test(command)))
        return [];
      return [{ file, line: 1, message: "shows no command with the word golden for test/golden" }];
    });
}

/** Golden files are the recorded outputs; the tests beside them are code like any other. */
function hasGoldenFiles(repository: Repository, pkg: WorkspacePackage): boolean {
  const folder = inPackage(pkg, "test/golden/");
  return repository.paths.some((file) => file.startsWith(folder) && !file.endsWith(".ts"));
}
