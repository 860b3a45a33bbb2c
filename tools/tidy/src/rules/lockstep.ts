import type { Repository, Violation } from "../repository.ts";
import { readJson, workspacePackages } from "../workspace.ts";

const CHANGESETS = ".changeset/config.json";

interface ChangesetConfig {
  readonly fixed?: readonly (readonly string[])[];
}

/** Published packages share one version, and changesets moves all of them together. */
export function lockstepVersions(repository: Repository): Violation[] {
  const packages = workspacePackages(repository);
  const published = packages.filter(({ manifest }) => manifest.private !== true);
  const internal = packages.filter(({ manifest }) => manifest.private === true);
  const version = published[0]?.manifest.version;

  const violations: Violation[] = published
    .filter(({ manifest }) => manifest.version !== version)
    .map(({ manifest, manifestPath }) => ({
      file: manifestPath,
      line: 1,
      message: `version is ${manifest.version}, ${published[0]?.name} has ${version}`,
    }));

  const names = internal.map(({ name }) => name.replace(/^@lrugen\//, "")).toSorted();
  const expected = `@lrugen/!(${names.join("|")})`;
  const { fixed = [] }: ChangesetConfig = readJson(repository, CHANGESETS) ?? {};
  if (fixed.length !== 1 || fixed[0]?.join(" ") !== expected) {
    const message = `fixed is ${JSON.stringify(fixed)}, expected [["${expected}"]]`;
    violations.push({ file: CHANGESETS, line: 1, message });
  }
  return violations;
}
