import path from "node:path";
import { expect, it } from "vitest";
import { run } from "../recording-io.ts";

const golden = (name: string): string => path.join(import.meta.dirname, name);

/** How many scenarios are identical is no matter of the layout, and changes with every version. */
const withoutScore = (text: string): string =>
  text
    .replace(/(^Conformance\n-+\n)[^]*/m, "$1…\n")
    .replace(/"passed": \d+/, '"passed": 0')
    .replace(/"failed": \d+/, '"failed": 0');

it.each([
  ["help.txt", "--help"],
  ["help-repro.txt", "repro --help"],
  ["features.txt", "features"],
  ["features.json", "features --json"],
  ["repro.txt", "repro inc-min-seq --pages 24MiB --agings 12"],
  ["repro-each-patch.txt", "repro --each-patch --pages 5000p --agings 8"],
  ["repro-undrained-thp.txt", "repro --undrained --thp 64kB --pages 8MiB --agings 6"],
  ["repro.json", "repro --each-patch --pages 64p --agings 4 --no-drain --json"],
])("%s is what `lrugen %s` prints", async (name, line) => {
  const { code, out, err } = await run(line);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  await expect(withoutScore(out)).toMatchFileSnapshot(golden(name));
});

it("scenario.json is what `lrugen scenario -` prints", async () => {
  const input = "anon A 40\ntouch A 0 40 w\nage\ndump aged\ntext aged\n";
  const { code, out, err } = await run("scenario -", { input });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  await expect(out).toMatchFileSnapshot(golden("scenario.json"));
});
