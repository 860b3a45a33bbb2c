import { describe, expect, it } from "vitest";
import { expandScenario, substituteCounter } from "../../../src/scenario/expand-scenario.ts";
import { parseScenario } from "../../../src/scenario/parse-scenario.ts";

const cmds = (text: string) =>
  [...expandScenario(parseScenario(text, "s.txt"))].map(({ cmd, line }) => `${line} ${cmd}`);

describe("expandScenario", () => {
  it("unrolls nested blocks; $i is the innermost counter, 0 outside", () => {
    const text = "dump t$i\nrepeat 2\ndump o$i\nrepeat 2\ndump i$i-x\nend\nend";
    expect(cmds(text)).toEqual([
      "1 dump t0",
      "3 dump o0",
      "5 dump i0-x",
      "5 dump i1-x",
      "3 dump o1",
      "5 dump i0-x",
      "5 dump i1-x",
    ]);
  });

  it("reads the command again for every counter", () => {
    const commands = [...expandScenario(parseScenario("repeat 3\nsleep $i\nend", "s.txt"))];
    expect(commands).toMatchObject([{ ms: 0 }, { ms: 1 }, { ms: 2 }]);
  });

  it("yields one command at a time, whatever the counts", () => {
    const endless = expandScenario(parseScenario("repeat 10000000\nnop\nend", "s.txt"));
    expect([endless.next().value, endless.next().value]).toMatchObject([
      { op: "nop" },
      { op: "nop" },
    ]);
  });

  it("passes over a loop around nothing", () => {
    expect(cmds("repeat 9007199254740991\nrepeat 0\nnop\nend\nend\ndrain")).toEqual(["6 drain"]);
  });

  it("reports a counter that makes an argument invalid", () => {
    const commands = expandScenario(parseScenario("repeat 65\nfsync $i\nend", "s.txt"));
    expect(() => [...commands]).toThrow("s.txt:2: found FD 64, expected 0 to 63");
  });
});

describe("substituteCounter", () => {
  it("replaces $i where no letter or digit follows", () => {
    expect(substituteCounter("$i $i, $i_ $ix $i9 $ID a$i", 12)).toBe("12 12, 12_ $ix $i9 $ID a12");
  });
});
