import type { Repository } from "./repository.ts";

/** The parts of a package.json that the rules read. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly license?: string;
  readonly packageManager?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package of the workspace. */
export interface WorkspacePackage {
  /** Its directory from the root, as `packages/mglru`. */
  readonly directory: string;
  /** Its package.json from the root. */
  readonly manifestPath: string;
  /** The name in its manifest, or its directory when that has none. */
  readonly name: string;
  readonly manifest: Manifest;
}

const MANIFEST = /^(?:packages|apps|tools)\/[^/]+\/package\.json$/;

/** Every package under packages/, apps/ and tools/. */
export function workspacePackages(repository: Repository): WorkspacePackage[] {
  return repository.paths
    .filter((file) => MANIFEST.test(file))
    .map((manifestPath) => {
      const directory = manifestPath.slice(0, -"/package.json".length);
      const manifest = readManifest(repository, manifestPath);
      return { directory, manifestPath, name: manifest.name ?? directory, manifest };
    });
}

/** A package.json; empty when there is none. */
export function readManifest(repository: Repository, file: string): Manifest {
  const manifest: Manifest | undefined = readJson(repository, file);
  return manifest ?? {};
}

/** The part of a tsconfig.json that the rules read. */
export interface TsConfig {
  readonly references?: readonly { readonly path: string }[];
}

/** A tsconfig.json, or undefined when there is none. */
export function readTsConfig(repository: Repository, file: string): TsConfig | undefined {
  const config: TsConfig | undefined = readJson(repository, file);
  return config;
}

/**
 * A JSON file, or undefined when there is none. The caller says what shape it expects.
 *
 * @throws {SyntaxError} naming the file, when it is not plain JSON
 */
export function readJson(repository: Repository, file: string): any {
  const text = repository.read(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** A path below the package's directory. */
export function inPackage(pkg: WorkspacePackage, file: string): string {
  return `${pkg.directory}/${file}`;
}

/** Whether the package has sources of its own to compile. */
export function hasSources(repository: Repository, pkg: WorkspacePackage): boolean {
  const prefix = inPackage(pkg, "src/");
  return repository.paths.some((file) => file.startsWith(prefix));
}

/** TypeScript files of the workspace: sources, tests, configs. */
export function typescriptFiles(repository: Repository): string[] {
  return repository.paths.filter((file) => /^(?:packages|apps|tools)\/.*\.ts$/.test(file));
}
