import path from "node:path";

import { expect, it } from "vitest";

import { readRepository, RULES } from "../../src/index.ts";

const repository = readRepository(path.resolve(import.meta.dirname, "../../../.."));

it.each(RULES)("%s", (_, rule) => {
  const found = rule(repository).map(({ file, line, message }) => `${file}:${line}: ${message}`);
  expect(found).toEqual([]);
});
