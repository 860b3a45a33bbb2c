import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { lineAt, matches, readRepository } from "../../src/repository.ts";

describe("lineAt", () => {
  it("counts from 1, and a newline belongs to the line it ends", () => {
    const text = "ab\ncd\n";
    expect([0, 2, 3, 5, 6].map((offset) => lineAt(text, offset))).toEqual([1, 1, 2, 2, 3]);
  });
});

describe("matches", () => {
  it("names the line of every match", () => {
    const found = matches("a.ts", "x\nyx\n", /x/g, ([word]) => `found ${word}`);
    expect(found).toEqual([
      { file: "a.ts", line: 1, message: "found x" },
      { file: "a.ts", line: 2, message: "found x" },
    ]);
  });
});

describe("readRepository", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), "tidy-"));
    const files = {
      ".gitignore": "dist/\n*.log\n",
      "a.txt": "A",
      "b/c.txt": "C",
      "b/dist/made.txt": "-",
      ".git/config": "-",
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    }
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it("lists files but none in .git or in ignored directories", () => {
    expect(readRepository(root).paths).toEqual([".gitignore", "a.txt", "b/c.txt"]);
  });

  it("reads listed files and nothing else", () => {
    const repository = readRepository(root);
    expect(repository.read("b/c.txt")).toBe("C");
    expect(repository.read("b/dist/made.txt")).toBeUndefined();
    expect(repository.read("missing")).toBeUndefined();
  });
});
