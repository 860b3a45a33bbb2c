import type { CommandArguments } from "./arguments.ts";
import {
  FADVISE_ADVICE,
  MADVISE_ADVICE,
  THP_SIZES,
  type AnonCommand,
  type MapCommand,
  type ThpSize,
  type WorkerCommand,
} from "./command.ts";
import { SCENARIO_LIMITS } from "./limits.ts";
import { quoteWord } from "./scenario-error.ts";

/** The form of every worker command, as error messages show it. */
export const WORKER_USAGE = {
  anon: "anon NAME PAGES [thp=SIZE|never]",
  shm: "shm NAME PAGES [thp=SIZE|never]",
  map: "map NAME FILE [r|rw|rx] [shared|private]",
  touch: "touch NAME FIRST COUNT r|w [STEP]",
  kvmtouch: "kvmtouch NAME FIRST COUNT r|w",
  open: "open FD FILE",
  read: "read FD FIRST COUNT [BYTES]",
  pwrite: "pwrite FD FIRST COUNT [BYTES]",
  fadvise: "fadvise FD ADVICE FIRST COUNT",
  fsync: "fsync FD",
  madvise: "madvise NAME ADVICE FIRST COUNT",
  mlock: "mlock NAME FIRST COUNT",
  munlock: "munlock NAME FIRST COUNT",
  unmap: "unmap NAME FIRST COUNT",
  nop: "nop",
  fork: "fork NAME",
  exit: "exit",
  move: "move PATH",
  prefer: "prefer NODE",
} as const;

/** The name of a worker command. */
export type WorkerOp = keyof typeof WORKER_USAGE;

/** What every worker command carries, its own fields left out. */
export interface WorkerLine {
  readonly cmd: string;
  readonly line: number;
  readonly worker: string;
}

const { pagesMax, fdMax, ioBytesMax } = SCENARIO_LIMITS;
const PAGE_SIZE = 4096;
/** Page indices of file I/O: 2^32 pages are 16 TiB, the largest file ext4 has. */
const FILE_PAGES_MAX = 4294967296;
const THP_CHOICES: readonly (ThpSize | "never")[] = [...THP_SIZES, "never"];

function isWrite(args: CommandArguments): boolean {
  return args.choice("access", ["r", "w"]) === "w";
}

/** FIRST COUNT of a region; whether the region is that long is checked when it is known. */
function range(args: CommandArguments, countMin: number): { first: number; count: number } {
  return {
    first: args.number("FIRST", 0, pagesMax - 1),
    count: args.number("COUNT", countMin, pagesMax),
  };
}

/** FIRST COUNT of a file, which may reach beyond its end. */
function fileRange(args: CommandArguments, pages: number): { first: number; count: number } {
  return {
    first: args.number("FIRST", 0, pages - 1),
    count: args.number("COUNT", 0, pages),
  };
}

function parseThp(args: CommandArguments): ThpSize | "never" | null {
  const word = args.option();
  if (word === null) return null;
  const size = THP_CHOICES.find((candidate) => word === `thp=${candidate}`);
  if (size === undefined) {
    args.fail(`option ${quoteWord(word)}`, `thp= with one of ${THP_CHOICES.join(", ")}`);
  }
  return size;
}

function parseAnon(op: "anon" | "shm", args: CommandArguments, at: WorkerLine): AnonCommand {
  const region = args.name("NAME");
  const pages = args.number("PAGES", 1, pagesMax);
  return { ...at, op, region, pages, thp: parseThp(args) };
}

/** The two options may come in either order, as in the guest. */
function parseMap(args: CommandArguments, at: WorkerLine): MapCommand {
  const region = args.name("NAME");
  const file = args.name("FILE");
  let prot: "r" | "rw" | "rx" | null = null;
  let sharing: "shared" | "private" | null = null;
  for (let word = args.option(); word !== null; word = args.option()) {
    if (prot === null && (word === "r" || word === "rw" || word === "rx")) prot = word;
    else if (sharing === null && (word === "shared" || word === "private")) sharing = word;
    else args.fail(`option ${quoteWord(word)}`, WORKER_USAGE.map);
  }
  return { ...at, op: "map", region, file, prot: prot ?? "r", shared: sharing !== "private" };
}

function parseFileCommand(
  op: "open" | "read" | "pwrite" | "fadvise" | "fsync",
  args: CommandArguments,
  at: WorkerLine,
): WorkerCommand {
  const fd = args.number("FD", 0, fdMax);
  switch (op) {
    case "open":
      return { ...at, op, fd, file: args.name("FILE") };
    case "read":
    case "pwrite": {
      // A page written makes the file that long; nothing may be longer than a region.
      const pages = fileRange(args, op === "read" ? FILE_PAGES_MAX : pagesMax);
      const bytes = args.optionalNumber("BYTES", 0, ioBytesMax, PAGE_SIZE);
      return { ...at, op, fd, ...pages, bytes };
    }
    case "fadvise": {
      const advice = args.choice("advice", FADVISE_ADVICE);
      return { ...at, op, fd, advice, ...fileRange(args, FILE_PAGES_MAX) };
    }
    default:
      return { ...at, op, fd };
  }
}

/** Reads the arguments of a worker command. @throws ScenarioError */
export function parseWorkerCommand(
  op: WorkerOp,
  args: CommandArguments,
  at: WorkerLine,
): WorkerCommand {
  switch (op) {
    case "anon":
    case "shm":
      return parseAnon(op, args, at);
    case "map":
      return parseMap(args, at);
    case "touch": {
      const region = args.name("NAME");
      const pages = range(args, 0);
      const write = isWrite(args);
      const step = args.optionalNumber("STEP", 1, pagesMax, 1);
      return { ...at, op, region, ...pages, write, step };
    }
    case "kvmtouch": {
      // The guest's loop counts down from COUNT: 0 would be 2^32 pages.
      const region = args.name("NAME");
      return { ...at, op, region, ...range(args, 1), write: isWrite(args) };
    }
    case "madvise": {
      const region = args.name("NAME");
      const advice = args.choice("advice", MADVISE_ADVICE);
      return { ...at, op, region, advice, ...range(args, 0) };
    }
    case "mlock":
    case "munlock":
    case "unmap":
      return { ...at, op, region: args.name("NAME"), ...range(args, 0) };
    case "fork":
      return { ...at, op, child: args.name("NAME") };
    case "prefer":
      return { ...at, op, node: args.number("NODE", 0, SCENARIO_LIMITS.nodesMax - 1) };
    case "move":
      return { ...at, op, path: args.memcg() };
    case "nop":
    case "exit":
      return { ...at, op };
    default:
      return parseFileCommand(op, args, at);
  }
}
