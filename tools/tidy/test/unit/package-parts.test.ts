import { describe, expect, it } from "vitest";

import { packageParts } from "../../src/rules/package-parts.ts";
import { changed, found } from "./example-repository.ts";

const files = {
  "packages/mglru/package.json": JSON.stringify({ description: "Generations.", license: "MIT" }),
  "packages/mglru/README.md": "# mglru\n",
  "packages/mglru/turbo.json": '{ "extends": ["//"], "tags": ["layer:3"] }',
  "packages/mglru/tsconfig.json": "{}",
  "packages/mglru/test/tsconfig.json": "{}",
  "packages/mglru/vitest.config.ts": "",
  "packages/mglru/src/index.ts": "",
};

describe("packageParts", () => {
  it("accepts a whole package", () => {
    expect(found(packageParts, files)).toEqual([]);
  });

  it.each(["README.md", "tsconfig.json", "test/tsconfig.json", "vitest.config.ts"])(
    "reports a package without %s",
    (part) => {
      const file = `packages/mglru/${part}`;
      expect(found(packageParts, changed(files, { [file]: undefined }))).toEqual([
        `${file}:1: found no such file, every package has one`,
      ]);
    },
  );

  it("asks a package without sources for no compiler or test settings", () => {
    const settings = {
      "tools/config/package.json": JSON.stringify({ description: "Settings.", license: "MIT" }),
      "tools/config/README.md": "# config\n",
      "tools/config/turbo.json": '{ "tags": ["tool"] }',
    };
    expect(found(packageParts, settings)).toEqual([]);
  });

  it("reports a missing description and another licence", () => {
    const manifest = JSON.stringify({ license: "ISC" });
    const other = changed(files, { "packages/mglru/package.json": manifest });
    expect(found(packageParts, other)).toEqual([
      "packages/mglru/package.json:1: found no description",
      "packages/mglru/package.json:1: license is ISC, expected MIT",
    ]);
  });

  it("reports the tag of another layer", () => {
    const other = changed(files, { "packages/mglru/turbo.json": '{ "tags": ["layer:4"] }' });
    expect(found(packageParts, other)).toEqual([
      "packages/mglru/turbo.json:1: found tags [layer:4], expected [layer:3]",
    ]);
  });

  it("reports a missing turbo.json as a missing tag", () => {
    const other = changed(files, { "packages/mglru/turbo.json": undefined });
    expect(found(packageParts, other)).toEqual([
      "packages/mglru/turbo.json:1: found tags [], expected [layer:3]",
    ]);
  });

  it("reports a package that has no layer", () => {
    const manifest = JSON.stringify({ description: "New.", license: "MIT" });
    const other = { "packages/new/package.json": manifest, "packages/new/README.md": "" };
    expect(found(packageParts, other)).toEqual([
      "packages/new/package.json:1: is in no layer: give it one in tools/tidy/src/layers.ts",
    ]);
  });
});
