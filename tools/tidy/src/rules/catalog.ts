import { lineAt, type Repository, type Violation } from "../repository.ts";
import { workspacePackages, type Manifest } from "../workspace.ts";

const FIELDS = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
] as const satisfies readonly (keyof Manifest)[];

/** Packages take every version from the catalog or the workspace, so that each is said once. */
export function catalogVersions(repository: Repository): Violation[] {
  return workspacePackages(repository).flatMap(({ manifest, manifestPath }) =>
    FIELDS.flatMap((field) =>
      Object.entries(manifest[field] ?? {})
        .filter(([, version]) => !/^(?:catalog|workspace):/.test(version))
        .map(([name, version]) => ({
          file: manifestPath,
          line: lineAt(
            repository.read(manifestPath) ?? "",
            repository.read(manifestPath)?.indexOf(`"${name}":`) ?? 0,
          ),
          message: `${field} has ${name} ${version}, expected catalog: or workspace:`,
        })),
    ),
  );
}

/** Every choice in the catalog says what it is for. */
export function catalogReasons(repository: Repository): Violation[] {
  const file = "pnpm-workspace.yaml";
  const lines = (repository.read(file) ?? "").split("\n");
  const start = lines.indexOf("catalog:") + 1;
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith("  "));
  return lines
    .slice(start, end)
    .map((entry, index) => ({ entry: entry.trim(), line: start + index + 1 }))
    .filter(({ entry }) => !/ # \S/.test(entry))
    .map(({ entry, line }) => ({ file, line, message: `${entry} lacks "# what it is for"` }));
}
