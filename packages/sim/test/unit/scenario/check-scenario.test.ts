import { describe, expect, it } from "vitest";
import { checkScenario } from "../../../src/scenario/check-scenario.ts";
import { parseScenario } from "../../../src/scenario/parse-scenario.ts";
import { scenarioErrorOf } from "./thrown.ts";

const check = (text: string) => checkScenario(parseScenario(text, "s.txt"));

describe("checkScenario refuses", () => {
  it.each([
    ["touch A 0 1 r", 's.txt:1: found region "A", expected a region made before: none was made'],
    [
      "anon A 8\nanon B 8\nmlock C 0 1",
      's.txt:3: found region "C", expected a region made before: A or B',
    ],
    ["anon A 8\ntouch A 4 5 w", "s.txt:2: found pages 4 to 8, expected pages 0 to 7 of region A"],
    ["anon A 8\ntouch A 0 9 w 4", "s.txt:2: found pages 0 to 8, expected pages 0 to 7 of region A"],
    [
      "anon A 8\nmadvise A cold 1 262144",
      "s.txt:2: found pages 1 to 262144, expected pages within the 262144 that a region may have",
    ],
    [
      "anon A 8\nkvmtouch A 1 8 r",
      "s.txt:2: found pages 1 to 8, expected pages 0 to 7 of region A",
    ],
    [
      "file F 8\nmap M F\ntouch M 8 1 r",
      "s.txt:3: found pages 8 to 8, expected pages 0 to 7 of region M",
    ],
    [
      "anon A 8\nanon A 8",
      's.txt:2: found region "A" again, made at line 1, expected a new region name',
    ],
    ["map M F", 's.txt:1: found file "F", expected a file made before: none was made'],
    ["open 0 F", 's.txt:1: found file "F", expected a file made before: none was made'],
    [
      "file F 8\nfile F 8",
      's.txt:2: found file "F" again, made at line 1, expected a new file name',
    ],
    [
      "file F 8\nread 0 0 1",
      "s.txt:2: found descriptor 0 of w0, expected a descriptor opened before: none is open",
    ],
    [
      "file F 8\nopen 0 F\nproc p\n@p fsync 0",
      "s.txt:4: found descriptor 0 of p, expected a descriptor opened before: none is open",
    ],
    [
      "file F 8\nopen 0 F\nopen 2 F\npwrite 1 0 1",
      "s.txt:4: found descriptor 1 of w0, expected a descriptor opened before: 0 or 2",
    ],
    ["use p", 's.txt:1: found memcg "p", expected a memcg made before: t'],
    ["mkcg p/a", 's.txt:1: found memcg "p", expected a memcg made before: t'],
    ["mkcg p\nmove q", 's.txt:2: found memcg "q", expected a memcg made before: t or p'],
    ["@c1 nop", 's.txt:1: found worker "c1", expected a worker made before: w0'],
    [
      "exit\nnop",
      "s.txt:2: found worker w0, which exited at line 1, expected a worker that still runs",
    ],
    [
      "fork c\nproc c",
      's.txt:2: found worker "c" again, made at line 1, expected a new worker name',
    ],
    [
      "proc w0",
      's.txt:1: found worker "w0" again, which is there from the start, expected a new worker name',
    ],
    [
      "repeat 2\nanon A 8\nend",
      's.txt:2: found region "A" again, made at line 2, expected a new region name',
    ],
    ["repeat 65\nanon A$i 8\nend", "s.txt:2: found one region more, expected at most 64 regions"],
    [
      "repeat 65\nfile F$i 8\nend",
      "s.txt:2: found one file more, expected at most 64 files and shm regions",
    ],
    [
      "file F 1\nrepeat 64\nshm S$i 8\nend",
      "s.txt:3: found one file more, expected at most 64 files and shm regions",
    ],
    [
      "repeat 32\nfork c\n@c exit\nend",
      "s.txt:2: found one worker more, expected at most 32 workers, w0 included",
    ],
    [
      "anon A 8\nrepeat 9\ntouch A $i 1 r\nend",
      "s.txt:3: found pages 8 to 8, expected pages 0 to 7 of region A",
    ],
  ])("%j", (text, message) => {
    expect(scenarioErrorOf(() => check(text))).toBe(message);
  });
});

describe("checkScenario accepts", () => {
  it.each([
    ["a range that ends at the region's last page", "anon A 8\ntouch A 4 4 w\nunmap A 8 0"],
    ["a step whose last page is inside", "anon A 8\ntouch A 0 10 w 7"],
    ["a touch of no page", "anon A 8\ntouch A 0 0 w"],
    [
      "descriptors that the parent opened before the fork",
      "file F 8\nopen 3 F\nfork c\n@c read 3 0 8",
    ],
    ["a name whose worker has exited", "fork c\n@c exit\nfork c\n@c nop"],
    ["the name of a worker that a limit may have killed", "cg memory.max 1M\nproc w0"],
    ["regions of other workers", "proc p\n@p anon A 8\ntouch A 0 8 r"],
    ["reads past the end of the file", "file F 8\nopen 0 F\nread 0 0 100"],
    ["strings that the kernel refuses", "enabled x\nage frob\nraw nonsense\nevict 300 -1"],
    ["a region and a file of one name", "file F 8\nmap F F"],
  ])("%s", (_, text) => {
    expect(() => check(text)).not.toThrow();
  });

  it("a loop of any count at once when its iterations are alike", () => {
    const loops = "repeat 10\n".repeat(7);
    expect(() => check(`anon A 8\n${loops}touch A 0 8 r\n${"end\n".repeat(7)}`)).not.toThrow();
  });
});
