import { describe, expect, it } from "vitest";
import { parseScenario } from "../../../src/scenario/parse-scenario.ts";
import { scenarioErrorOf } from "./thrown.ts";

const GIB = 1073741824;

describe("parseScenario", () => {
  it("keeps commands with their lines, without remarks and empty lines", () => {
    const { lines } = parseScenario("# remark\n\n  drain\r\n\t# another\n nop ", "s.txt");
    expect(lines).toEqual([
      {
        kind: "command",
        line: 3,
        text: "drain",
        counted: false,
        command: { op: "drain", cmd: "drain", line: 3 },
      },
      {
        kind: "command",
        line: 5,
        text: "nop ",
        counted: false,
        command: { op: "nop", worker: "w0", cmd: "nop ", line: 5 },
      },
    ]);
  });

  it("nests repeat blocks", () => {
    const { lines } = parseScenario(
      "repeat 2\n repeat 3 # inner\n drain\n end # inner\nend",
      "s.txt",
    );
    expect(lines).toMatchObject([
      {
        kind: "repeat",
        line: 1,
        count: 2,
        body: [{ kind: "repeat", line: 2, count: 3, body: [{ kind: "command", line: 3 }] }],
      },
    ]);
  });

  it("reads repeat counts in decimal only", () => {
    expect(parseScenario("repeat 010\nend", "s.txt").lines).toMatchObject([{ count: 10 }]);
  });

  it("skips a byte-order mark", () => {
    expect(parseScenario("\uFEFFdrain", "s.txt").lines).toMatchObject([{ text: "drain" }]);
  });

  it.each([
    ["drain\nend", "s.txt:2: found end without repeat, expected repeat N"],
    [
      "repeat 2\nrepeat 3\ndrain\nend",
      "s.txt:1: found repeat without end, expected a line `end` behind its body",
    ],
    ["repeat", "s.txt:1: found no count, expected repeat N"],
    ["repeat x\nend", 's.txt:1: found count "x", expected a decimal number'],
    ["repeat 0x2\nend", 's.txt:1: found count "0x2", expected a decimal number'],
    ["repeat -1\nend", 's.txt:1: found count "-1", expected a decimal number'],
    ["repeat 2 3\nend", 's.txt:1: found "3" too much, expected repeat N'],
    ["repeat 2\nend it", 's.txt:2: found "end it", expected end'],
  ])("refuses %j", (text, message) => {
    expect(scenarioErrorOf(() => parseScenario(text, "s.txt"))).toBe(message);
  });

  it("refuses blocks nested deeper than 64 levels", () => {
    const text = "repeat 1\n".repeat(65) + "end\n".repeat(65);
    expect(scenarioErrorOf(() => parseScenario(text, "s.txt"))).toBe(
      "s.txt:65: found repeat inside 64 others, expected at most 64 levels",
    );
  });

  it("refuses a block that would run for hours", () => {
    const text = "drain\nrepeat 100000\nrepeat 1000\nnop\nend\nend\n";
    expect(scenarioErrorOf(() => parseScenario(text, "s.txt"))).toBe(
      "s.txt:2: found repeat of 100000000 commands, expected at most 10000000",
    );
  });

  it("reads the lines of a block that never runs", () => {
    expect(() => parseScenario("repeat 0\nfrob\nend", "s.txt")).toThrow(/^s\.txt:2: found command/);
  });
});

describe("#! options", () => {
  it("default to one CPU and 1 GiB", () => {
    const { options } = parseScenario("drain", "s.txt");
    expect(options).toMatchObject({ smp: 1, memBytes: GIB });
    expect([...options.all]).toEqual([]);
  });

  it("are kept, the last of a key counting", () => {
    const { options } = parseScenario(
      "#! smp=2\n#! cpu=EPYC,+svm,+npt mem=384M\n#!smp=4\n #! smp=8\n#!\n",
      "s.txt",
    );
    expect(options).toMatchObject({ smp: 4, memBytes: 384 * 1048576 });
    expect(Object.fromEntries(options.all)).toEqual({
      smp: "4",
      cpu: "EPYC,+svm,+npt",
      mem: "384M",
    });
  });

  it("take zone Movable from the kernel's boot options", () => {
    const { options } = parseScenario("#! append=movablecore=64M\n", "s.txt");
    expect(options.movableBytes).toBe(64 * 1048576);
    expect(parseScenario("#! append=quiet\n", "s.txt").options.movableBytes).toBe(0);
  });

  it.each([
    ["#! numa=5", 's.txt:1: found numa "5", expected a number of nodes, 1 to 4'],
    [
      "#! append=movablecore=3M",
      's.txt:1: found append "movablecore=3M", expected movablecore= with a memory size in steps of 4M',
    ],
    [
      "#! men=1G",
      's.txt:1: found option "men", expected smp, mem, append, numa, cpu, timeout, modules, extra_modules, icount',
    ],
    [
      "#! constructor=1",
      's.txt:1: found option "constructor", expected smp, mem, append, numa, cpu, timeout, modules, extra_modules, icount',
    ],
    ["#! smp", 's.txt:1: found option "smp", expected #! key=value'],
    ["#! smp=0", 's.txt:1: found smp "0", expected a number of CPUs, 1 to 255'],
    ["#! smp=two", 's.txt:1: found smp "two", expected a number of CPUs, 1 to 255'],
    ["#! mem=lots", 's.txt:1: found mem "lots", expected a memory size in steps of 4M, 4M to 256G'],
  ])("refuse %s", (text, message) => {
    expect(scenarioErrorOf(() => parseScenario(text, "s.txt"))).toBe(message);
  });
});
