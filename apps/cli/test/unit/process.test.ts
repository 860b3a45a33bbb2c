import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";

const cli = path.resolve(import.meta.dirname, "../..");
const node = `"${process.execPath}" --conditions=@lrugen/source src/main.ts`;

const shell = (command: string): SpawnSyncReturns<string> =>
  spawnSync("sh", ["-c", command], { cwd: cli, encoding: "utf8" });

it("the program runs as a process, results on stdout", () => {
  const { status, stdout, stderr } = shell(`${node} features --json`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ schema: "lrugen.features/1" });
});

it("the program reads a pipe and says what is wrong with it", () => {
  const { status, stdout, stderr } = shell(`echo bad | ${node} scenario -`);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^lrugen: stdin:1: found command "bad", expected .*\n$/);
});

it("a reader that goes away ends the program without a word", () => {
  const { stdout, stderr } = shell(
    `{ ${node} repro --json --pages 64p --agings 300; echo $? >&2; } | head -n 1`,
  );
  expect({ stdout, stderr }).toEqual({ stdout: "{\n", stderr: "0\n" });
});

it("the program reads a pipe by its path", () => {
  const { status, stdout, stderr } = shell(`echo bad | ${node} scenario /dev/stdin`);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^lrugen: \/dev\/stdin:1: found command "bad", expected .*\n$/);
});

it("a full disk is one line, exit code 1", () => {
  const { status, stderr } = shell(`${node} features > /dev/full`);
  const message = "lrugen: stdout: ENOSPC: no space left on device\n";
  expect({ status, stderr }).toEqual({ status: 1, stderr: message });
});
