import { describe, expect, it } from "vitest";

import { codeOwners, maintainerEntries, parseMaintainers } from "../../src/rules/owners.ts";
import { changed, found } from "./example-repository.ts";

const maintainers = [
  "Who looks after what.",
  "",
  "MULTI-GEN LRU",
  "M:\tA <a@x.invalid>",
  "M:\tB <b@x.invalid>",
  "S:\tMaintained",
  "F:\tpackages/mglru/",
  "",
  "THE REST",
  "M:\tA <a@x.invalid>",
  "S:\tMaintained",
  "F:\t*",
  "",
].join("\n");

const files = {
  MAINTAINERS: maintainers,
  ".github/CODEOWNERS":
    "# from MAINTAINERS\n* a@x.invalid\n/packages/mglru/ a@x.invalid b@x.invalid\n",
  "packages/mglru/package.json": "{}",
};

describe("parseMaintainers", () => {
  it("reads the entries and skips the prose above them", () => {
    expect(parseMaintainers(maintainers)).toEqual([
      {
        title: "MULTI-GEN LRU",
        line: 3,
        owners: ["a@x.invalid", "b@x.invalid"],
        files: ["packages/mglru/"],
        states: ["Maintained"],
      },
      { title: "THE REST", line: 9, owners: ["a@x.invalid"], files: ["*"], states: ["Maintained"] },
    ]);
  });
});

describe("maintainerEntries", () => {
  it("accepts whole entries that cover every package", () => {
    expect(found(maintainerEntries, files)).toEqual([]);
  });

  it("reports a package without an entry", () => {
    expect(found(maintainerEntries, changed(files, { "apps/cli/package.json": "{}" }))).toEqual([
      "MAINTAINERS:1: no entry has F: apps/cli/",
    ]);
  });

  it.each([
    ["M:", /M:\t.*\n/g, "MULTI-GEN LRU: found no M:"],
    ["S:", /S:\t.*\n/g, 'MULTI-GEN LRU: S: is "", expected one of'],
  ])("reports an entry without %s", (_, tag, message) => {
    const text = maintainers.replaceAll(tag, "");
    const lines = found(maintainerEntries, changed(files, { MAINTAINERS: text }));
    expect(lines[0]).toContain(`MAINTAINERS:3: ${message}`);
  });

  it("reports a path that matches no file", () => {
    const text = maintainers.replace("F:\t*", "F:\tdocs/gone.md");
    expect(found(maintainerEntries, changed(files, { MAINTAINERS: text }))).toEqual([
      "MAINTAINERS:9: THE REST: F: docs/gone.md matches no file",
    ]);
  });
});

describe("codeOwners", () => {
  it("accepts the same owners for the same paths", () => {
    expect(found(codeOwners, files)).toEqual([]);
  });

  it("reports another owner", () => {
    const text = "* a@x.invalid\n/packages/mglru/ c@x.invalid\n";
    expect(found(codeOwners, changed(files, { ".github/CODEOWNERS": text }))).toEqual([
      '.github/CODEOWNERS:2: found "/packages/mglru/ c@x.invalid", ' +
        'MAINTAINERS says "/packages/mglru/ a@x.invalid b@x.invalid"',
    ]);
  });

  it("reports a path that is missing, as the last line that matches decides", () => {
    expect(found(codeOwners, changed(files, { ".github/CODEOWNERS": "* a@x.invalid\n" }))).toEqual([
      '.github/CODEOWNERS:1: found "the end", ' +
        'MAINTAINERS says "/packages/mglru/ a@x.invalid b@x.invalid"',
    ]);
  });

  it("reports a path that MAINTAINERS does not have", () => {
    const text = `${files[".github/CODEOWNERS"]}/docs/ a@x.invalid\n`;
    expect(found(codeOwners, changed(files, { ".github/CODEOWNERS": text }))).toEqual([
      '.github/CODEOWNERS:4: found "/docs/ a@x.invalid", which MAINTAINERS does not say',
    ]);
  });
});
