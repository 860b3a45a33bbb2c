import { describe, expect, it } from "vitest";

import { relativeLinks } from "../../src/rules/links.ts";
import { found } from "./example-repository.ts";

const files = { "docs/a.md": "", "packages/mglru/src/x.ts": "" };

describe("relativeLinks", () => {
  it.each([
    ["a file", "docs/a.md"],
    ["a part of a file", "docs/a.md#part"],
    ["a folder", "packages/mglru"],
    ["a part of the same page", "#part"],
    ["the web", "https://example.invalid/x"],
  ])("accepts a link to %s", (_, target) => {
    expect(found(relativeLinks, { ...files, "README.md": `[x](${target})` })).toEqual([]);
  });

  it("takes a link from the folder of its page", () => {
    const page = "[up](../packages/mglru/src/x.ts) [beside](a.md) [gone](docs/a.md)";
    expect(found(relativeLinks, { ...files, "docs/b.md": page })).toEqual([
      "docs/b.md:1: docs/a.md leads nowhere",
    ]);
  });

  it("reports a link to nothing, with its line", () => {
    expect(found(relativeLinks, { ...files, "README.md": "a\n[x](docs/gone.md#part)\n" })).toEqual([
      "README.md:2: docs/gone.md leads nowhere",
    ]);
  });
});
