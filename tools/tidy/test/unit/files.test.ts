import { describe, expect, it } from "vitest";

import { drawerNames, fileSize, fixtureProvenance } from "../../src/rules/files.ts";
import { found } from "./example-repository.ts";

describe("fileSize", () => {
  it("accepts 400 lines and reports 401", () => {
    const files = {
      "packages/a/src/fits.ts": "x;\n".repeat(400),
      "packages/a/src/long.ts": "x;\n".repeat(401),
    };
    expect(found(fileSize, files)).toEqual([
      "packages/a/src/long.ts:401: 401 lines, expected at most 400",
    ]);
  });
});

describe("drawerNames", () => {
  it.each([
    "packages/a/src/util/x.ts",
    "packages/a/src/utils.ts",
    "packages/common/package.json",
    "packages/a/test/helpers/x.ts",
    "packages/a/test/helper.test.ts",
  ])("reports %s", (file) => {
    expect(found(drawerNames, { [file]: "" })).toHaveLength(1);
  });

  it.each(["packages/a/src/utilization.ts", "packages/a/src/common-ancestor.ts"])(
    "accepts %s",
    (file) => {
      expect(found(drawerNames, { [file]: "" })).toEqual([]);
    },
  );
});

describe("fixtureProvenance", () => {
  it("reports a fixtures folder that says nothing of its origin", () => {
    const files = {
      "packages/a/test/fixtures/x/1.json": "",
      "packages/a/test/fixtures/2.json": "",
    };
    expect(found(fixtureProvenance, files)).toEqual([
      "packages/a/test/fixtures/PROVENANCE.md:1: found no such file: " +
        "fixtures say what made them, and how to make them again",
    ]);
  });

  it.each(["packages/a/data/fixtures/PROVENANCE.md", "packages/a/data/PROVENANCE.md"])(
    "accepts %s",
    (file) => {
      const files = { "packages/a/data/fixtures/1.json": "", [file]: "" };
      expect(found(fixtureProvenance, files)).toEqual([]);
    },
  );

  it("does not accept a PROVENANCE further up", () => {
    const files = { "packages/a/data/fixtures/1.json": "", "packages/a/PROVENANCE.md": "" };
    expect(found(fixtureProvenance, files)).toHaveLength(1);
  });
});
