import { describe, expect, it } from "vitest";
import { parseCommand } from "../../../src/scenario/parse-command.ts";
import { scenarioErrorOf } from "./thrown.ts";

const parse = (cmd: string) => parseCommand(cmd, 7, "s.txt");

/** The message without the place. */
const errorOf = (cmd: string) => scenarioErrorOf(() => parse(cmd)).replace(/^s\.txt:7: /, "");

describe("worker commands", () => {
  const at = { line: 7, worker: "w0" };

  it.each([
    ["anon A 64", { op: "anon", region: "A", pages: 64, thp: null }],
    ["anon H 1K thp=2048kB", { op: "anon", region: "H", pages: 1024, thp: "2048kB" }],
    ["anon S 4 thp=never", { op: "anon", region: "S", pages: 4, thp: "never" }],
    ["shm S 16", { op: "shm", region: "S", pages: 16, thp: null }],
    ["map M F", { op: "map", region: "M", file: "F", prot: "r", shared: true }],
    ["map M F rx", { op: "map", region: "M", file: "F", prot: "rx", shared: true }],
    ["map M F private rw", { op: "map", region: "M", file: "F", prot: "rw", shared: false }],
    ["touch A 0 40 w", { op: "touch", region: "A", first: 0, count: 40, write: true, step: 1 }],
    ["touch A 1 11 r 2", { op: "touch", region: "A", first: 1, count: 11, write: false, step: 2 }],
    ["kvmtouch A 4 4 r", { op: "kvmtouch", region: "A", first: 4, count: 4, write: false }],
    ["open 0 F", { op: "open", fd: 0, file: "F" }],
    ["read 0 0 8", { op: "read", fd: 0, first: 0, count: 8, bytes: 4096 }],
    ["pwrite 1 2 3 16K", { op: "pwrite", fd: 1, first: 2, count: 3, bytes: 16384 }],
    ["fadvise 0 random 0 0", { op: "fadvise", fd: 0, advice: "random", first: 0, count: 0 }],
    ["fsync 0", { op: "fsync", fd: 0 }],
    [
      "madvise A pageout 4 8",
      { op: "madvise", region: "A", advice: "pageout", first: 4, count: 8 },
    ],
    ["mlock A 4 4", { op: "mlock", region: "A", first: 4, count: 4 }],
    ["munlock A 4 4", { op: "munlock", region: "A", first: 4, count: 4 }],
    ["unmap A 0 8", { op: "unmap", region: "A", first: 0, count: 8 }],
    ["fork c1", { op: "fork", child: "c1" }],
    ["nop", { op: "nop" }],
    ["exit", { op: "exit" }],
  ])("%s", (cmd, fields) => {
    expect(parse(cmd)).toEqual({ ...at, cmd, ...fields });
  });

  it("run in the worker that @NAME names", () => {
    expect(parse("@c1 nop")).toEqual({ op: "nop", worker: "c1", cmd: "@c1 nop", line: 7 });
  });

  it("keep trailing blanks in cmd, as fixture 52 has them", () => {
    expect(parse("kvmtouch A 0 64 r ")).toMatchObject({ cmd: "kvmtouch A 0 64 r ", write: false });
  });

  it("take blanks and tabs between words and a remark at the end", () => {
    expect(parse("touch\tA  0 \t4 r 1 # every page")).toMatchObject({ count: 4, step: 1 });
    expect(parse("anon A 64 # thp=never")).toMatchObject({ thp: null });
    expect(parse("map M F # private")).toMatchObject({ shared: true });
  });
});

describe("controller commands", () => {
  it.each([
    ["proc p1", { op: "proc", name: "p1" }],
    ["file F 96", { op: "file", file: "F", pages: 96 }],
    ["thp 16kB", { op: "thp", size: "16kB" }],
    ["thp never", { op: "thp", size: "never" }],
    ["drain", { op: "drain" }],
    ["stat", { op: "stat" }],
    ["age", { op: "age", template: "+ $ID 0 $MAX  " }],
    ["age 60", { op: "age", template: "+ $ID 0 $MAX 60 " }],
    ["age 60 0", { op: "age", template: "+ $ID 0 $MAX 60 0" }],
    ["evict max 16", { op: "evict", template: "- $ID 0 $MAX-2 max 16" }],
    ["evict 200 1 $MINA", { op: "evict", template: "- $ID 0 $MINA 200 1" }],
    ["raw   + $ID 0 $MAX ", { op: "raw", template: "+ $ID 0 $MAX " }],
    ["raw", { op: "raw", template: "" }],
    ["raw \t+", { op: "raw", template: "\t+" }],
    ['rawfrom ""', { op: "rawfrom", template: "" }],
    ['rawfrom " + $ID; x" ', { op: "rawfrom", template: " + $ID; x" }],
    ['rawfrom "a"b"', { op: "rawfrom", template: 'a"b' }],
    ["reclaim 64K", { op: "reclaim", value: "64K" }],
    ["reclaim  64K swappiness=max ", { op: "reclaim", value: "64K swappiness=max " }],
    ["cg memory.max 5M", { op: "cg", path: "memory.max", value: "5M" }],
    ["write /proc/sys/vm/x 1", { op: "write", path: "/proc/sys/vm/x", value: "1" }],
    ["enabled x", { op: "enabled", value: "x" }],
    ["min_ttl -1", { op: "min_ttl", value: "-1" }],
    ["cat /proc/meminfo", { op: "cat", path: "/proc/meminfo" }],
    ["sleep 500", { op: "sleep", ms: 500 }],
    ["module kvm-amd", { op: "module", name: "kvm-amd" }],
    ["dump a1", { op: "dump", node: 0, label: "a1", sizes: false }],
    ["dump a1 sizes", { op: "dump", node: 0, label: "a1", sizes: true }],
    ["dumpnode 1 b", { op: "dumpnode", node: 1, label: "b", sizes: false }],
    ["mkcg p/a", { op: "mkcg", path: "p/a" }],
    ["text t1", { op: "text", label: "t1" }],
  ])("%s", (cmd, fields) => {
    expect(parse(cmd)).toEqual({ line: 7, cmd, ...fields });
  });

  it("leave more than 12 words to a line that is taken as it stands", () => {
    expect(parse("raw a b c d e f g h i j k l m")).toMatchObject({
      template: "a b c d e f g h i j k l m",
    });
  });
});

describe("a line that is no command", () => {
  it.each([
    [
      "frob A",
      /^found command "frob", expected a command \(anon, shm, map, .*, stat, repeat, end\)$/,
    ],
    ["@c1", /^found only "@c1", expected @NAME COMMAND$/],
    ["@c1 dump x", /^found controller command "dump", expected a worker command after @NAME$/],
    ["touch A 0", /^found 2 arguments, expected touch NAME FIRST COUNT r\|w \[STEP\]$/],
    ["anon", /^found no argument, expected anon NAME PAGES/],
    ["fork", /^found no argument, expected fork NAME$/],
    ["evict 200", /^found 1 argument, expected evict SWAPPINESS NR \[SEQ\]$/],
    ["reclaim", /^found no argument, expected reclaim BYTES/],
    ["dump", /^found no argument, expected dump LABEL \[sizes\]$/],
    ["anon A 12x", /^found PAGES "12x", expected a number \(decimal, 0x hex or 0 octal, K or M/],
    ["anon A 0", /^found PAGES 0, expected 1 to 262144$/],
    ["anon A 262145", /^found PAGES 262145, expected 1 to 262144$/],
    ["anon A 8 thp=8kB", /^found option "thp=8kB", expected thp= with one of 16kB, .*, never$/],
    ["anon A 8 huge", /^found option "huge", expected thp=/],
    ["anon 1A 8", /^found NAME "1A", expected a letter and then at most 14/],
    ["anon abcdefghijklmnop 8", /^found NAME "abcdefghijklmnop", expected a letter/],
    ["anon __proto__ 8", /^found NAME "__proto__"/],
    ["touch A 0 4 x", /^found access "x", expected r, w$/],
    ["touch A 0 4 r 0", /^found STEP 0, expected 1 to 262144$/],
    ["touch A 0 4 r 1 2", /^found "2" too much, expected touch NAME/],
    ["touch A 0 4 r # x", /^found STEP "#", expected a number/],
    ["touch A 262144 1 r", /^found FIRST 262144, expected 0 to 262143$/],
    ["kvmtouch A 0 0 r", /^found COUNT 0, expected 1 to 262144$/],
    [
      "map M F rwx",
      /^found option "rwx", expected map NAME FILE \[r\|rw\|rx\] \[shared\|private\]$/,
    ],
    ["map M F r rw", /^found option "rw", expected map/],
    ["open 64 F", /^found FD 64, expected 0 to 63$/],
    ["read 0 0 1 65537", /^found BYTES 65537, expected 0 to 65536$/],
    ["fadvise 0 often 0 0", /^found advice "often", expected normal, random, /],
    ["madvise A merge 0 1", /^found advice "merge", expected normal, .*, collapse$/],
    ["thp 8kB", /^found SIZE "8kB", expected 16kB, .*, 2048kB, never$/],
    ["dump a b", /^found "b", expected dump LABEL \[sizes\]$/],
    ["cg memory.max 5M now", /^found "now" too much, expected cg FILE VALUE$/],
    ["rawfrom x", /^found no quoted string, expected rawfrom "STRING"$/],
    ['rawfrom "x', /^found one quote, expected rawfrom "STRING"$/],
    [`rawfrom "${"x".repeat(256)}"`, /^found 256 characters, expected a string of at most 255$/],
    ["sleep 5000000", /^found MS 5000000, expected 0 to 4294967$/],
    [`raw ${"x".repeat(484)}`, /^found a line of 488 characters, expected at most 487$/],
    ["nop 1 2 3 4 5 6 7 8 9 10 11 12 13", /^found "1" too much, expected nop$/],
  ])("%j", (cmd, message) => {
    expect(errorOf(cmd)).toMatch(message);
  });

  it("names file and line, in one line of text", () => {
    expect(() => parse("a\u0007b\rc")).toThrow(
      /^s\.txt:7: found command "a\\u0007b\\rc", expected/,
    );
  });
});
