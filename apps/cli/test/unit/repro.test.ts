import { describe, expect, it } from "vitest";
import { run } from "../recording-io.ts";

/** The part of the JSON that tests look at. */
interface ReproJson {
  readonly schema: string;
  readonly features: string;
  readonly complete: boolean;
  readonly benchmark: object;
  readonly runs: readonly {
    readonly features: string;
    readonly orderKept: boolean | null;
    readonly agings: readonly Readonly<Record<string, unknown>>[];
  }[];
  readonly conformance: { readonly passed: number; readonly failed: number } | null;
  readonly proposed: readonly { readonly rule: string }[];
  readonly estimates: readonly unknown[];
  readonly published: { readonly title: string };
}

const reproJson = async (line: string): Promise<ReproJson> => {
  const { code, out } = await run(`repro --json ${line}`);
  expect(code).toBe(0);
  const report: ReproJson = JSON.parse(out);
  return report;
};

describe("repro", () => {
  it("without options is the benchmark of the letter, and says what its rows stand for", async () => {
    const { code, out } = await run("repro");
    expect(code).toBe(0);
    expect(out).toContain("512 MiB of anonymous memory (131,072 pages of 4 KiB)");
    expect(out).toMatch(/^8\.\.103 +131,072 +0 +131,072 +0 +33 +131,072 +0 +131,072 +32 +33$/m);
    expect(out).toContain("8..103: 96 agings, checked to be equal in every column and in order.");
  });

  it("shows published times as published and no other milliseconds", async () => {
    const { out } = await run("repro --pages 1MiB --agings 3");
    const [before, after] = out.split("Published times (not modelled)");
    expect(before).not.toMatch(/\bms\b/);
    expect(after).toContain("4.990    2.343");
    expect(after).toContain("[PATCH v3 0/7] mm/mglru: speed up inc_min_seq()");
  });

  it("ends with the score of the conformance set", async () => {
    const { out } = await run("repro --pages 1p --agings 1");
    expect(out).toMatch(/^\d+ identical of \d+ scenarios that Linux 7\.3\.4 ran: .*$/m);
    const [, passed, of] = /^(\d+) identical of (\d+)/m.exec(out) ?? [];
    const { out: conformance } = await run("conformance");
    expect(conformance).toContain(`\n${passed} passed, ${Number(of) - Number(passed)} failed\n`);
  });

  it("as JSON has what its schema promises", async () => {
    const report = await reproJson("--pages 1MiB --agings 6");
    expect(report).toMatchObject({
      schema: "lrugen.repro.inc-min-seq/1",
      complete: true,
      benchmark: { pages: 256, thp: "never", agings: 6, drained: true },
      runs: [
        { features: "", orderKept: false, agings: { length: 6 } },
        { orderKept: true, agings: { length: 6 } },
      ],
      estimates: [],
    });
    expect(report.runs[1]?.features.split(",")).toHaveLength(7);
    expect(report.runs[0]?.agings[3]).toMatchObject({
      seq: 6,
      walked: 256,
      promoted: 0,
      moved: 256,
      splices: 0,
      lockHolds: 1,
    });
    expect(report.proposed.map(({ rule }) => rule)).toContain("S1-03");
    expect(report.conformance?.passed).toBeGreaterThan(0);
    expect(report.published.title).toContain("PATCH v3 0/7");
  });

  it("takes features as the base of both runs", async () => {
    const report = await reproJson("--pages 1p --agings 1 --features mglru.incMinSeq.headToTail");
    expect(report.features).toBe("mglru.incMinSeq.headToTail");
    expect(report.runs[0]?.features).toBe("mglru.incMinSeq.headToTail");
    expect(report.runs[1]?.features.split(",")).toHaveLength(7);
  });

  it.each(["--no-drain", "--undrained"])(
    "%s leaves the last pages in the batch",
    async (option) => {
      const report = await reproJson(`--pages 64p --agings 1 ${option}`);
      expect(report.runs[0]?.agings[0]).toMatchObject({ walked: 64, promoted: 62 });
    },
  );

  it.each([
    ["1GiB", 262_144],
    ["2MiB", 512],
    ["8KiB", 2],
    ["3p", 3],
  ])("--pages %s is %d pages", async (size, pages) => {
    const { benchmark } = await reproJson(`--pages ${size} --agings 1 --thp always`);
    expect(benchmark).toMatchObject({ pages });
  });

  it("gives the same bytes three times", async () => {
    const line = "repro --each-patch --pages 3000p --agings 9 --undrained";
    const outs = [await run(line), await run(line), await run(line)].map(({ out }) => out);
    expect(new Set(outs).size).toBe(1);
  });

  it("stopped in the first run prints what there is, exit code 130", async () => {
    const { code, out, io } = await run("repro --each-patch --pages 64p --agings 9", {
      interruptAfter: 5,
    });
    expect(code).toBe(130);
    expect(io.shown.at(-1)).toBe("inc-min-seq before: 5 of 9");
    expect(out).toContain("not run: interrupted");
    expect(out.split("\n").filter((line) => /^ *\d+ +64 /.test(line))).toHaveLength(5);
  });

  it("stopped, as JSON, says so", async () => {
    const { out } = await run("repro --json --pages 64p --agings 9", { interruptAfter: 5 });
    expect(JSON.parse(out)).toMatchObject({
      complete: false,
      runs: [{ agings: { length: 5 } }],
      conformance: null,
    });
  });

  it("says how far it is, and takes progress line and Ctrl-C watch back", async () => {
    const { io } = await run("repro --pages 64p --agings 2");
    expect(io.shown.slice(0, 4)).toEqual([
      "inc-min-seq before: 1 of 2",
      "inc-min-seq before: 2 of 2",
      "inc-min-seq after: 1 of 2",
      "inc-min-seq after: 2 of 2",
    ]);
    expect(io.open).toBe(0);
  });
});

describe("colour", () => {
  it.each([
    [{ outputIsTerminal: true }, true],
    [{ outputIsTerminal: false }, false],
    [{ outputIsTerminal: true, env: { NO_COLOR: "1" } }, false],
    [{ outputIsTerminal: true, env: { NO_COLOR: "" } }, true],
  ])("%j: %s", async (options, expected) => {
    const { out } = await run("features", options);
    expect(out.includes("\u001B[")).toBe(expected);
  });
});
