import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { run } from "../recording-io.ts";

it("--version is the version of the package", async () => {
  const { code, out } = await run("--version");
  expect({ code, out }).toEqual({ code: 0, out: `${manifest.version}\n` });
});

it("help VERB is the help of the verb", async () => {
  const { code, out } = await run("help scenario");
  expect(code).toBe(0);
  expect(out).toContain("Usage: lrugen scenario [options] <file>");
});
