import { spawnSync } from "node:child_process";
import path from "node:path";

import { expect, it } from "vitest";

import { examplesOf, readRepository, workspacePackages } from "../../src/index.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const repository = readRepository(root);

/** The first TypeScript example of each package: what a newcomer pastes and runs. */
const examples = workspacePackages(repository).flatMap(({ directory }) => {
  const markdown = repository.read(`${directory}/README.md`) ?? "";
  const example = examplesOf(markdown).find(({ language }) => language === "ts");
  return example === undefined ? [] : [{ directory, example }];
});

it.each(examples)("the example in $directory/README.md runs", ({ directory, example }) => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@lrugen/source", "--input-type=module-typescript", "--eval", example.code],
    { cwd: path.join(root, directory), encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
