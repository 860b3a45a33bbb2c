import { describe, expect, it } from "vitest";

import { catalogReasons, catalogVersions } from "../../src/rules/catalog.ts";
import { found } from "./example-repository.ts";

describe("catalogVersions", () => {
  it("accepts catalog and workspace versions", () => {
    const manifest = { dependencies: { a: "catalog:" }, devDependencies: { b: "workspace:^" } };
    expect(found(catalogVersions, { "apps/x/package.json": JSON.stringify(manifest) })).toEqual([]);
  });

  it.each(["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"])(
    "reports a version written into %s, with its line",
    (field) => {
      const text = `{\n  "${field}": {\n    "a": "catalog:",\n    "b": "^1.2.3"\n  }\n}\n`;
      expect(found(catalogVersions, { "packages/x/package.json": text })).toEqual([
        `packages/x/package.json:4: ${field} has b ^1.2.3, expected catalog: or workspace:`,
      ]);
    },
  );

  it("leaves the root manifest to pin what is installed only there", () => {
    const root = JSON.stringify({ devDependencies: { pnpm: "12.4.2" } });
    expect(found(catalogVersions, { "package.json": root })).toEqual([]);
  });
});

describe("catalogReasons", () => {
  it("reports an entry without a reason, and nothing after the catalog", () => {
    const text = "packages:\n  - a\ncatalog:\n  a: 1 # tests\n  b: 2\n\nallow:\n  c: 3\n";
    expect(found(catalogReasons, { "pnpm-workspace.yaml": text })).toEqual([
      'pnpm-workspace.yaml:5: b: 2 lacks "# what it is for"',
    ]);
  });
});
