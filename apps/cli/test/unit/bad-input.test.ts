import { devNull } from "node:os";
import { describe, expect, it } from "vitest";
import { run, runWords } from "../recording-io.ts";
import { scratchDirectory } from "../scratch-directory.ts";

describe("bad usage is one line on stderr, nothing on stdout, and exit code 2", () => {
  it.each([
    ["", "found no verb, expected one of repro, scenario, conformance, features, or --help"],
    ["--", "found no verb, expected one of repro, scenario, conformance, features, or --help"],
    ["reprro", "unknown command 'reprro', expected one of repro, scenario, conformance, features"],
    ["help nope", "unknown command 'nope', expected one of repro, scenario, conformance, features"],
    ["--frobnicate", "unknown option '--frobnicate'"],
    ["features --jsn", "unknown option '--jsn' (Did you mean --json?)"],
    ["features all", "too many arguments for 'features'. Expected 0 arguments but got 1: all."],
    ["scenario", "missing required argument 'file'"],
    ["repro lru-cache", "unknown series 'lru-cache', expected one of inc-min-seq, all"],
    [
      "repro --thp 4kB",
      "option '--thp <when>' argument '4kB' is invalid. Allowed choices are never, always, 16kB, 32kB, 64kB, 128kB, 256kB, 512kB, 1024kB, 2048kB.",
    ],
    ["repro --kernel linux-9.9", 'unknown kernel "linux-9.9", expected one of linux-7.3'],
    [
      "repro --features mglru.incMinSeq.spliceRun",
      'unknown feature "mglru.incMinSeq.spliceRun"; did you mean mglru.incMinSeq.spliceRuns?',
    ],
    [
      "scenario - --features mglru.incMinSeq.spliceRuns",
      "feature mglru.incMinSeq.spliceRuns requires mglru.incMinSeq.headToTail, but mglru.incMinSeq.headToTail is off",
    ],
    [
      "repro --pages 512",
      '--pages: found "512", expected a size like 512MiB, 1GiB, 640KiB or 131072p',
    ],
    ["repro --pages 6KiB", "--pages: found 6KiB, expected a multiple of 4KiB"],
    ["repro --pages 0p", "--pages: found 0p, expected 1p to 4194304p (16GiB)"],
    ["repro --pages 17GiB", "--pages: found 17GiB, expected 1p to 4194304p (16GiB)"],
    ["repro --agings 0", '--agings: found "0", expected a whole number from 1 to 10000'],
    ["repro --agings 10001", '--agings: found "10001", expected a whole number from 1 to 10000'],
    ["repro --agings 1e3", '--agings: found "1e3", expected a whole number from 1 to 10000'],
  ])("lrugen %s", async (line, message) => {
    const { code, out, err } = await run(line);
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: `lrugen: ${message}\n` });
  });

  it.each([
    [["scenario", ""], '"": found an empty name, expected a file'],
    [["conformance", ""], '"": found an empty name, expected a directory'],
    [["repro", "a\nb"], "unknown series 'a b', expected one of inc-min-seq, all"],
  ])("lrugen %j", async (words, message) => {
    const { code, out, err } = await runWords(words);
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: `lrugen: ${message}\n` });
  });
});

describe("a bad scenario names its file and line", () => {
  it.each([
    ["anon A 4\nage 60 1 z\n", 'stdin:2: found "z" too much, expected age'],
    ["nop\nfrobnicate\n", 'stdin:2: found command "frobnicate", expected a command ('],
    ["nop\nwrite /no/file 1\n", "stdin:2: the file /no/file is not modelled in this version"],
    ["#! mem=1M\nnop\n", "stdin:"],
    ["#! smp=0\nnop\n", 'stdin:1: found smp "0", expected a number of CPUs, 1 to 255'],
  ])("%j", async (input, message) => {
    const { code, out, err } = await run("scenario -", { input });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.slice(0, `lrugen: ${message}`.length)).toBe(`lrugen: ${message}`);
    expect(err.indexOf("\n")).toBe(err.length - 1);
  });

  it("whose path is relative to where npm was called", async () => {
    const directory = scratchDirectory({ "folder/bad.txt": "nop\nbad\n" });
    const { code, err } = await run("scenario folder/bad.txt", { env: { INIT_CWD: directory } });
    expect(code).toBe(2);
    expect(err).toContain("lrugen: folder/bad.txt:2: ");
  });

  it("whose path is relative to the process without npm", async () => {
    const directory = scratchDirectory({ "bad.txt": "bad\n" });
    const { err } = await run("scenario bad.txt", { cwd: directory });
    expect(err).toContain("lrugen: bad.txt:1: ");
  });
});

describe("what cannot be read is named as it was given", () => {
  it.each([
    ["scenario none.txt", "none.txt: no such file"],
    ["scenario scenarios", "scenarios: found a directory, expected a file"],
    ["conformance none", "none: no such directory"],
    ["conformance note.txt", "note.txt: found a file, expected a directory"],
    ["conformance empty", "empty: found no scenarios/*.txt, expected at least one"],
    ["conformance other", "other: found no scenarios/*.txt, expected at least one"],
    [
      "conformance broken-json",
      "broken-json/fixtures/a.json: found no JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
    ],
    [
      "conformance no-result",
      'no-result/fixtures/a.json: found no result, expected {"steps": [{"cmd": …}, …]}',
    ],
    ["conformance bad-scenario", 'bad-scenario/scenarios/a.txt:2: found region "A", expected '],
  ])("lrugen %s", async (line, message) => {
    const cwd = scratchDirectory({
      "note.txt": "",
      "scenarios/x": "",
      "empty/scenarios/readme.md": "",
      "other/fixtures/a.json": "{}",
      "broken-json/scenarios/a.txt": "nop\n",
      "broken-json/fixtures/a.json": "{nop",
      "no-result/scenarios/a.txt": "nop\n",
      "no-result/fixtures/a.json": '{"steps": [{}]}',
      "bad-scenario/scenarios/a.txt": "nop\ntouch A 0 1 w\n",
    });
    const { code, out, err } = await run(line, { cwd });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.slice(0, `lrugen: ${message}`.length)).toBe(`lrugen: ${message}`);
    expect(err.indexOf("\n")).toBe(err.length - 1);
  });
});

it.each(["/dev/zero", "/dev/full"])("%s is refused, as it has no end", async (device) => {
  const { code, out, err } = await run(`scenario ${device}`);
  const message = `lrugen: ${device}: found a device, expected a file\n`;
  expect({ code, out, err }).toEqual({ code: 2, out: "", err: message });
});

it("the null device is a file without text", async () => {
  const { code, err } = await run(`scenario ${devNull}`);
  expect({ code, err }).toEqual({ code: 0, err: "" });
});
