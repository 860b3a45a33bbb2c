import { describe, expect, it } from "vitest";

import { examplesOf, goldenCommands, readmeOpensWithExample } from "../../src/rules/readmes.ts";
import { found } from "./example-repository.ts";

const withReadme = (text: string): Record<string, string> => ({
  "packages/a/package.json": "{}",
  "packages/a/README.md": text,
});

describe("examplesOf", () => {
  it("returns fenced blocks with language and line", () => {
    expect(examplesOf("# A\n\n```ts\nf();\n```\n\n```\nout\n```\n")).toEqual([
      { language: "ts", code: "f();\n", line: 3 },
      { language: "", code: "out\n", line: 7 },
    ]);
  });
});

describe("readmeOpensWithExample", () => {
  it.each(["ts", "sh"])("accepts a title and then an example in %s", (language) => {
    expect(
      found(readmeOpensWithExample, withReadme(`# A\n\n\`\`\`${language}\nf\n\`\`\`\n`)),
    ).toEqual([]);
  });

  it("reports prose below the title", () => {
    expect(found(readmeOpensWithExample, withReadme("# A\n\nA is…\n\n```ts\nf\n```\n"))).toEqual([
      "packages/a/README.md:3: expected an example below the title, ```ts or ```sh",
    ]);
  });

  it("reports an example that is nothing to run", () => {
    expect(found(readmeOpensWithExample, withReadme("# A\n\n```json\n{}\n```\n"))).toHaveLength(1);
  });

  it("reports a README that is only a title", () => {
    expect(found(readmeOpensWithExample, withReadme("# A\n"))).toHaveLength(1);
  });

  it("reports a README without a title", () => {
    expect(found(readmeOpensWithExample, withReadme("```ts\nf\n```\n"))).toEqual([
      "packages/a/README.md:1: expected the title, # NAME",
    ]);
  });
});

describe("goldenCommands", () => {
  const golden = { "packages/a/test/golden/x.json": "{}" };

  it.each(["```sh\nnpm run golden\n```\n", "Regenerate: `pnpm golden`.\n"])(
    "accepts a command with the word golden: %j",
    (text) => {
      expect(found(goldenCommands, { ...withReadme(text), ...golden })).toEqual([]);
    },
  );

  it("reports golden files without a command", () => {
    expect(found(goldenCommands, { ...withReadme("The golden files.\n"), ...golden })).toEqual([
      "packages/a/README.md:1: shows no command with the word golden for test/golden",
    ]);
  });

  it("asks nothing of a package without golden files", () => {
    const files = { ...withReadme(""), "packages/a/test/golden/x.test.ts": "" };
    expect(found(goldenCommands, files)).toEqual([]);
  });
});
