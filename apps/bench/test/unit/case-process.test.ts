import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { formatFigures, measureInOwnProcess, parseFigures } from "../../src/case-process.ts";

describe("figures", () => {
  test("are read as they were written", () => {
    const figures = [[1.5, 2], [], [3]];
    expect(parseFigures(`${formatFigures(figures)}\n`)).toEqual(figures);
  });

  test.each(["", "[[1]", "{}", "[1]", '[["1"]]', "[[null]]", "null"])("%j is none", (output) => {
    expect(parseFigures(output)).toBeNull();
  });
});

describe("measureInOwnProcess", () => {
  const script = fileURLToPath(new URL("../scripted-process.mjs", import.meta.url));

  test("asks another process for one case", async () => {
    expect(await measureInOwnProcess(script, "good")).toEqual([[1, 2]]);
  });

  test.each([
    ["silent", "case silent: its process ended with 0 and no figures"],
    ["failing", "case failing: its process ended with 3 and no figures"],
    ["killed", "case killed: its process ended with SIGTERM and no figures"],
  ])("says how a process that is %s ended", async (name, message) => {
    await expect(measureInOwnProcess(script, name)).rejects.toThrow(new Error(message));
  });
});
