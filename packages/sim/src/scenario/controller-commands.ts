import type { CommandArguments } from "./arguments.ts";
import { THP_SIZES, type ControllerCommand, type ThpSize } from "./command.ts";
import { SCENARIO_LIMITS } from "./limits.ts";
import { quoteWord } from "./scenario-error.ts";

/** The form of every controller command, as error messages show it. */
export const CONTROLLER_USAGE = {
  proc: "proc NAME",
  file: "file NAME PAGES",
  mkcg: "mkcg PATH",
  rmcg: "rmcg PATH",
  use: "use PATH",
  thp: "thp SIZE|never",
  drain: "drain",
  age: "age [SWAPPINESS [FORCE]]",
  evict: "evict SWAPPINESS NR [SEQ]",
  raw: "raw STRING",
  rawfrom: 'rawfrom "STRING"',
  reclaim: "reclaim BYTES [swappiness=N]",
  cg: "cg FILE VALUE",
  write: "write PATH VALUE",
  enabled: "enabled VALUE",
  min_ttl: "min_ttl VALUE",
  cat: "cat PATH",
  sleep: "sleep MS",
  module: "module NAME",
  dump: "dump LABEL [sizes]",
  dumpnode: "dumpnode N LABEL [sizes]",
  text: "text LABEL",
  stat: "stat",
} as const;

/** The name of a controller command. */
export type ControllerOp = keyof typeof CONTROLLER_USAGE;

/** Where a controller command stands. */
export interface ControllerLine {
  readonly cmd: string;
  readonly line: number;
}

const { pagesMax, sleepMsMax, rawfromLengthMax } = SCENARIO_LIMITS;
/** `age` and `evict` build their string in 128 bytes. */
const TEMPLATE_LENGTH_MAX = 127;
const THP_CHOICES: readonly (ThpSize | "never")[] = [...THP_SIZES, "never"];

/** The rest of the line behind the command, blanks (not tabs) before it left out. */
function restOf(cmd: string, op: string): string {
  return cmd.slice(op.length).replace(/^ +/, "");
}

/** The string between the first and the last quote, taken as it stands. */
function quotedRest(cmd: string, args: CommandArguments): string {
  const open = cmd.indexOf('"');
  const close = cmd.lastIndexOf('"');
  if (open === close) {
    const found = open < 0 ? "no quoted string" : "one quote";
    args.fail(found, CONTROLLER_USAGE.rawfrom);
  }
  const text = cmd.slice(open + 1, close);
  if (text.length > rawfromLengthMax) {
    args.fail(`${text.length} characters`, `a string of at most ${rawfromLengthMax}`);
  }
  return text;
}

/** `age`: a missing word leaves its blank, so `age 60` writes `+ ID 0 MAX 60 `. */
function ageTemplate(args: CommandArguments): string {
  const swappiness = args.optionalWord() ?? "";
  const force = args.optionalWord() ?? "";
  return `+ $ID 0 $MAX ${swappiness} ${force}`.slice(0, TEMPLATE_LENGTH_MAX);
}

function evictTemplate(args: CommandArguments): string {
  const swappiness = args.word();
  const nr = args.word();
  const seq = args.optionalWord() ?? "$MAX-2";
  return `- $ID 0 ${seq} ${swappiness} ${nr}`.slice(0, TEMPLATE_LENGTH_MAX);
}

function lruGenTemplate(
  op: "age" | "evict" | "raw" | "rawfrom",
  cmd: string,
  args: CommandArguments,
): string {
  switch (op) {
    case "age":
      return ageTemplate(args);
    case "evict":
      return evictTemplate(args);
    case "raw":
      return restOf(cmd, op);
    default:
      return quotedRest(cmd, args);
  }
}

function isSizes(args: CommandArguments): boolean {
  const word = args.option();
  if (word === null) return false;
  if (word !== "sizes") args.fail(quoteWord(word), CONTROLLER_USAGE.dump);
  return true;
}

/** Reads the arguments of a controller command. @throws ScenarioError */
export function parseControllerCommand(
  op: ControllerOp,
  args: CommandArguments,
  at: ControllerLine,
): ControllerCommand {
  switch (op) {
    case "proc":
      return { ...at, op, name: args.name("NAME") };
    case "file":
      return { ...at, op, file: args.name("NAME"), pages: args.number("PAGES", 1, pagesMax) };
    case "mkcg":
    case "rmcg":
    case "use":
      return { ...at, op, path: args.memcg() };
    case "thp":
      return { ...at, op, size: args.choice("SIZE", THP_CHOICES) };
    case "drain":
    case "stat":
      return { ...at, op };
    case "age":
    case "evict":
    case "raw":
    case "rawfrom":
      return { ...at, op, template: lruGenTemplate(op, at.cmd, args) };
    case "reclaim":
      args.word();
      return { ...at, op, value: restOf(at.cmd, op) };
    case "cg":
    case "write":
      return { ...at, op, path: args.word(), value: args.word() };
    case "enabled":
    case "min_ttl":
      return { ...at, op, value: args.word() };
    case "cat":
      return { ...at, op, path: args.word() };
    case "sleep":
      return { ...at, op, ms: args.number("MS", 0, sleepMsMax) };
    case "module":
      return { ...at, op, name: args.word() };
    case "dump":
      return { ...at, op, node: 0, label: args.word(), sizes: isSizes(args) };
    case "dumpnode": {
      const node = args.number("N", 0, SCENARIO_LIMITS.nodesMax - 1);
      return { ...at, op, node, label: args.word(), sizes: isSizes(args) };
    }
    default:
      return { ...at, op, label: args.word() };
  }
}
