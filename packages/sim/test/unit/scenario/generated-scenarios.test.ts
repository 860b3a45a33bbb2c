import * as fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { checkScenario } from "../../../src/scenario/check-scenario.ts";
import { expandScenario } from "../../../src/scenario/expand-scenario.ts";
import { parseScenario } from "../../../src/scenario/parse-scenario.ts";
import { scenarioErrorOf } from "./thrown.ts";

const numRuns = inject("soak") ? 20000 : 300;

const WORDS = [
  "anon",
  "shm",
  "map",
  "touch",
  "kvmtouch",
  "open",
  "read",
  "pwrite",
  "fadvise",
  "fsync",
  "madvise",
  "mlock",
  "unmap",
  "fork",
  "exit",
  "nop",
  "proc",
  "file",
  "thp",
  "drain",
  "age",
  "evict",
  "raw",
  "rawfrom",
  "reclaim",
  "cg",
  "write",
  "sleep",
  "dump",
  "text",
  "cat",
  "stat",
  "repeat",
  "end",
  "@c1",
  "@",
  "A",
  "F",
  "c1",
  "0",
  "1",
  "3",
  "0x10",
  "08",
  "64K",
  "-1",
  "r",
  "w",
  "random",
  "thp=16kB",
  "$i",
  "$MAX-2",
  "#",
  '"',
  "#! smp=2",
  "sizes",
  "\u0000",
];

const line = fc
  .array(fc.constantFrom(...WORDS), { maxLength: 7, size: "max" })
  .map((words) => words.join(" "));
const file = fc.array(line, { maxLength: 12, size: "max" }).map((lines) => lines.join("\n"));

const page = fc.constantFrom("0", "1", "7", "8", "$i", "0x4", "1K");
const region = fc.constantFrom("A", "B", "R$i");
/** Lines that are commands, of a scenario that may still contradict itself. */
const anyCommand = fc.oneof(
  fc.tuple(region, page).map(([name, pages]) => `anon ${name} ${pages}`),
  fc.tuple(region, page, page).map(([name, at, count]) => `touch ${name} ${at} ${count} w`),
  fc.tuple(region, page, page).map(([name, at, count]) => `madvise ${name} cold ${at} ${count}`),
  fc.constantFrom("fork c$i", "@c0 exit", "@c0 nop", "proc p", "exit", "file F 8", "open $i F"),
  fc.constantFrom("read 0 0 8", "map M F", "age 60", "raw + $ID", "dump d$i", "cg memory.max 1M"),
  fc.constantFrom("repeat 2", "repeat 3", "end"),
);
const commands = fc.array(anyCommand, { maxLength: 15, size: "max" }).map((lines) => {
  const open = lines.filter((text) => text.startsWith("repeat")).length;
  return `anon A 8\nfile F 8\nfork c0\n${lines.join("\n")}\n${"end\n".repeat(open)}`;
});

/** What a reader of scenarios says to `text`: the one line of its error, "" for none. */
function complaintAbout(text: string): string {
  return scenarioErrorOf(() => {
    const scenario = parseScenario(text, "s.txt");
    checkScenario(scenario);
    let left = 500;
    for (const { cmd } of expandScenario(scenario)) {
      if (cmd === "" || --left === 0) break;
    }
  });
}

const ONE_LINE_OR_NOTHING = /^(?:s\.txt:[0-9]+: found .+, expected .+)?$/;

describe("any text", () => {
  it("made of the language's words is read or refused in one line", () => {
    fc.assert(
      fc.property(file, (text) => {
        expect(complaintAbout(text)).toMatch(ONE_LINE_OR_NOTHING);
      }),
      { numRuns },
    );
  });

  it("made of commands is read or refused in one line", () => {
    fc.assert(
      fc.property(commands, (text) => {
        expect(complaintAbout(text)).toMatch(ONE_LINE_OR_NOTHING);
      }),
      { numRuns },
    );
  });

  it("at all is read or refused in one line", () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    fc.assert(
      fc.property(text, (bytes) => {
        expect(complaintAbout(bytes)).toMatch(ONE_LINE_OR_NOTHING);
      }),
      { numRuns },
    );
  });
});

describe("a valid line", () => {
  it("is printed as written, whatever stands around it", () => {
    const blanks = fc.constantFrom("", " ", "\t", "  ");
    const command = fc.constantFrom("nop", "drain", "age 60 1", "evict  200 8", "dump a sizes");
    fc.assert(
      fc.property(blanks, command, blanks, (before, cmd, after) => {
        const scenario = parseScenario(`${before}${cmd}${after}\n`, "s.txt");
        expect([...expandScenario(scenario)].map((step) => step.cmd)).toEqual([cmd + after]);
      }),
    );
  });
});
