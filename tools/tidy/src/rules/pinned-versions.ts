import { matches, type Repository, type Violation } from "../repository.ts";
import { readManifest, type Manifest } from "../workspace.ts";

/** Files that name a pnpm version for a person or a machine to run. */
const MENTIONS = /^(?:package\.json|\.ci\/run|[^/]+\.md|docs\/.*\.md|tools\/[^/]+\.mjs)$/;

/**
 * One pnpm and one Node: the version in `packageManager` is also the devDependency's and that of
 * every mention of `pnpm@…`; `nodeVersion` is also that of every `node-*` package.
 */
export function pinnedVersions(repository: Repository): Violation[] {
  const root = readManifest(repository, "package.json");
  return [...pnpmVersions(repository, root), ...nodeVersions(repository, root)];
}

function pnpmVersions(repository: Repository, root: Manifest): Violation[] {
  const pinned = /^pnpm@(\d+\.\d+\.\d+)$/.exec(root.packageManager ?? "")?.[1];
  if (pinned === undefined) {
    const message = `packageManager is ${root.packageManager}, expected pnpm@ and an exact version`;
    return [{ file: "package.json", line: 1, message }];
  }
  const violations: Violation[] = [];
  const dependency = root.devDependencies?.["pnpm"];
  if (dependency !== pinned) {
    const message = `devDependencies has pnpm ${dependency}, packageManager has ${pinned}`;
    violations.push({ file: "package.json", line: 1, message });
  }
  for (const file of repository.paths.filter((path) => MENTIONS.test(path))) {
    const mentions = matches(file, repository.read(file) ?? "", /\bpnpm@(\d[\w.-]*\w)/g, (match) =>
      match[1] === pinned ? "" : `found ${match[0]}, packageManager has ${pinned}`,
    );
    violations.push(...mentions.filter(({ message }) => message !== ""));
  }
  return violations;
}

function nodeVersions(repository: Repository, root: Manifest): Violation[] {
  const file = "pnpm-workspace.yaml";
  const pinned = /^nodeVersion: (\S+)$/m.exec(repository.read(file) ?? "")?.[1];
  if (pinned === undefined) return [{ file, line: 1, message: "found no nodeVersion" }];
  return Object.entries(root.optionalDependencies ?? {})
    .filter(([name, version]) => name.startsWith("node-") && version !== pinned)
    .map(([name, version]) => ({
      file: "package.json",
      line: 1,
      message: `${name} is ${version}, nodeVersion in ${file} is ${pinned}`,
    }));
}
