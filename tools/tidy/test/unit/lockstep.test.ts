import { describe, expect, it } from "vitest";

import { lockstepVersions } from "../../src/rules/lockstep.ts";
import { changed, found } from "./example-repository.ts";

const pkg = (name: string, version: string, isPrivate = false): string =>
  JSON.stringify({ name, version, private: isPrivate });

const files = {
  "packages/a/package.json": pkg("@lrugen/a", "0.2.0"),
  "packages/b/package.json": pkg("@lrugen/b", "0.2.0"),
  "tools/tidy/package.json": pkg("@lrugen/tidy", "0.0.0", true),
  "apps/bench/package.json": pkg("@lrugen/bench", "0.0.0", true),
  ".changeset/config.json": '{ "fixed": [["@lrugen/!(bench|tidy)"]] }',
};

describe("lockstepVersions", () => {
  it("accepts one version for all that is published, and any for what is not", () => {
    expect(found(lockstepVersions, files)).toEqual([]);
  });

  it("reports a published package with a version of its own", () => {
    const other = changed(files, { "packages/b/package.json": pkg("@lrugen/b", "0.3.0") });
    expect(found(lockstepVersions, other)).toEqual([
      "packages/b/package.json:1: version is 0.3.0, @lrugen/a has 0.2.0",
    ]);
  });

  it("reports a fixed group that leaves out a published package", () => {
    const other = changed(files, {
      ".changeset/config.json": '{ "fixed": [["@lrugen/!(a|bench|tidy)"]] }',
    });
    expect(found(lockstepVersions, other)).toEqual([
      '.changeset/config.json:1: fixed is [["@lrugen/!(a|bench|tidy)"]], expected [["@lrugen/!(bench|tidy)"]]',
    ]);
  });

  it("reports a missing fixed group", () => {
    const other = changed(files, { ".changeset/config.json": "{}" });
    expect(found(lockstepVersions, other)).toHaveLength(1);
  });
});
