import { expectedTag } from "../layers.ts";
import type { Repository, Violation } from "../repository.ts";
import { hasSources, inPackage, workspacePackages, type WorkspacePackage } from "../workspace.ts";

/** What a package with sources has besides its manifest, README and turbo.json. */
const SOURCE_PARTS: readonly string[] = ["tsconfig.json", "test/tsconfig.json", "vitest.config.ts"];

/** Every package has its README, its configs, a description, the licence, the tag of its layer. */
export function packageParts(repository: Repository): Violation[] {
  return workspacePackages(repository).flatMap((pkg) => [
    ...missingFiles(repository, pkg),
    ...manifestGaps(pkg),
    ...wrongTag(repository, pkg),
  ]);
}

function missingFiles(repository: Repository, pkg: WorkspacePackage): Violation[] {
  const expected = ["README.md", ...(hasSources(repository, pkg) ? SOURCE_PARTS : [])];
  return expected
    .map((file) => inPackage(pkg, file))
    .filter((file) => repository.read(file) === undefined)
    .map((file) => ({ file, line: 1, message: "found no such file, every package has one" }));
}

function manifestGaps({ manifest, manifestPath }: WorkspacePackage): Violation[] {
  const violations: Violation[] = [];
  const report = (message: string): void => {
    violations.push({ file: manifestPath, line: 1, message });
  };
  if ((manifest.description ?? "") === "") report("found no description");
  if (manifest.license !== "MIT") report(`license is ${manifest.license}, expected MIT`);
  return violations;
}

function wrongTag(repository: Repository, pkg: WorkspacePackage): Violation[] {
  const expected = expectedTag(pkg.directory);
  if (expected === undefined) {
    const message = "is in no layer: give it one in tools/tidy/src/layers.ts";
    return [{ file: pkg.manifestPath, line: 1, message }];
  }
  const file = inPackage(pkg, "turbo.json");
  const list = /"tags":\s*\[([^\]]*)\]/.exec(repository.read(file) ?? "")?.[1] ?? "";
  const found = [...list.matchAll(/"([^"]*)"/g)].map((tag) => tag[1]).join(", ");
  if (found === expected) return [];
  return [{ file, line: 1, message: `found tags [${found}], expected [${expected}]` }];
}
