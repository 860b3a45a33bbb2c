import { describe, expect, it } from "vitest";

import { projectReferences, rootReferences } from "../../src/rules/project-references.ts";
import { changed, found } from "./example-repository.ts";

const references = (...paths: string[]): string =>
  JSON.stringify({ references: paths.map((path) => ({ path })) });

const files = {
  "tsconfig.json": references("packages/a", "packages/a/test", "packages/b", "packages/b/test"),
  "packages/a/package.json": JSON.stringify({ name: "@lrugen/a" }),
  "packages/a/src/index.ts": "",
  "packages/a/tsconfig.json": "{}",
  "packages/a/test/tsconfig.json": references(".."),
  "packages/b/package.json": JSON.stringify({
    name: "@lrugen/b",
    dependencies: { "@lrugen/a": "workspace:^", commander: "catalog:" },
  }),
  "packages/b/src/index.ts": "",
  "packages/b/tsconfig.json": references("../a"),
  "packages/b/test/tsconfig.json": references("..", "../../a"),
};

describe("projectReferences", () => {
  it("accepts references that are the dependencies", () => {
    expect(found(projectReferences, files)).toEqual([]);
  });

  it("reports a dependency that the sources do not reference", () => {
    expect(found(projectReferences, changed(files, { "packages/b/tsconfig.json": "{}" }))).toEqual([
      "packages/b/tsconfig.json:1: lacks a reference to packages/a",
    ]);
  });

  it("reports tests that do not reference their own sources", () => {
    const other = changed(files, { "packages/a/test/tsconfig.json": "{}" });
    expect(found(projectReferences, other)).toEqual([
      "packages/a/test/tsconfig.json:1: lacks a reference to packages/a",
    ]);
  });

  it("reports a reference that is no dependency", () => {
    const other = changed(files, { "packages/a/tsconfig.json": references("../b") });
    expect(found(projectReferences, other)).toEqual([
      "packages/a/tsconfig.json:1: references packages/b, which package.json does not depend on",
    ]);
  });

  it("wants a devDependency from the tests only", () => {
    const manifest = JSON.stringify({
      name: "@lrugen/a",
      devDependencies: { "@lrugen/b": "workspace:^" },
    });
    const other = changed(files, { "packages/a/package.json": manifest });
    expect(found(projectReferences, other)).toEqual([
      "packages/a/test/tsconfig.json:1: lacks a reference to packages/b",
    ]);
  });

  it("names the file that is no plain JSON", () => {
    const other = changed(files, { "packages/a/tsconfig.json": "{ // note\n}" });
    expect(() => found(projectReferences, other)).toThrow("packages/a/tsconfig.json: ");
  });
});

describe("rootReferences", () => {
  it("accepts a root that lists every package and its tests", () => {
    expect(found(rootReferences, files)).toEqual([]);
  });

  it("reports what is not listed, and what is listed and not there", () => {
    const root = references("packages/a", "packages/a/test", "packages/b", "packages/gone");
    expect(found(rootReferences, changed(files, { "tsconfig.json": root }))).toEqual([
      "tsconfig.json:1: references lack packages/b/test",
      "tsconfig.json:1: references packages/gone: no such project",
    ]);
  });
});
