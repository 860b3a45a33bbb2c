import path from "node:path";

import type { Repository, Violation } from "../repository.ts";
import {
  hasSources,
  inPackage,
  readTsConfig,
  workspacePackages,
  type WorkspacePackage,
} from "../workspace.ts";

/**
 * Each tsconfig references what its manifest depends on: the sources the dependencies, the tests
 * also the sources themselves and the devDependencies.
 */
export function projectReferences(repository: Repository): Violation[] {
  const packages = workspacePackages(repository).filter((pkg) => hasSources(repository, pkg));
  const directories = new Map(packages.map((pkg) => [pkg.name, pkg.directory]));
  const projectsOf = (dependencies: Readonly<Record<string, string>> = {}): string[] =>
    Object.keys(dependencies).flatMap((name) => directories.get(name) ?? []);

  return packages.flatMap((pkg) => {
    const { dependencies, peerDependencies, devDependencies } = pkg.manifest;
    const runtime = [...projectsOf(dependencies), ...projectsOf(peerDependencies)];
    const test = [pkg.directory, ...runtime, ...projectsOf(devDependencies)];
    return [
      ...compare(repository, pkg, "tsconfig.json", new Set(runtime)),
      ...compare(repository, pkg, "test/tsconfig.json", new Set(test)),
    ];
  });
}

function compare(
  repository: Repository,
  pkg: WorkspacePackage,
  config: string,
  expected: ReadonlySet<string>,
): Violation[] {
  const file = inPackage(pkg, config);
  const { references } = readTsConfig(repository, file) ?? {};
  if (references === undefined && repository.read(file) === undefined) return [];
  const directory = path.posix.dirname(file);
  const found = new Set(
    (references ?? []).map((reference) => path.posix.join(directory, reference.path)),
  );
  const missing = [...expected].filter((project) => !found.has(project));
  const extra = [...found].filter((project) => !expected.has(project));
  return [
    ...missing.map((project) => `lacks a reference to ${project}`),
    ...extra.map((project) => `references ${project}, which package.json does not depend on`),
  ].map((message) => ({ file, line: 1, message }));
}

/** The root tsconfig builds every package and its tests, and nothing that is not there. */
export function rootReferences(repository: Repository): Violation[] {
  const file = "tsconfig.json";
  const { references = [] } = readTsConfig(repository, file) ?? {};
  const found = new Set(references.map((reference) => reference.path));
  const expected = new Set(
    workspacePackages(repository)
      .filter((pkg) => hasSources(repository, pkg))
      .flatMap(({ directory }) => [directory, `${directory}/test`]),
  );
  const missing = [...expected].filter((project) => !found.has(project));
  const extra = [...found].filter((project) => !expected.has(project));
  return [
    ...missing.map((project) => `references lack ${project}`),
    ...extra.map((project) => `references ${project}: no such project`),
  ].map((message) => ({ file, line: 1, message }));
}
