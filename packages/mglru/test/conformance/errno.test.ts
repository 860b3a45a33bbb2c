import { errnoName, PG_REFERENCED, PG_SWAPBACKED } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

declare global {
  interface ImportMeta {
    /** Files by path, loaded by Vite. */
    glob(
      pattern: string,
      options: { query: "?raw"; import: "default"; eager: true },
    ): Record<string, string>;
  }
}

/** A write to lru_gen with its names still in it, and the kernel's answer: `EINVAL`, or the bytes. */
interface Row {
  readonly command: string;
  readonly answer: string;
}

const TABLE = import.meta.glob("./ERRNO.md", { query: "?raw", import: "default", eager: true })[
  "./ERRNO.md"
]!;

function rows(): Row[] {
  const lines = [...TABLE.matchAll(/^\| `(.*?)` +\| (?:ok \(returns (\d+)\)|(E\w+)) +\|$/gm)];
  return lines.map(([, command = "", bytes, error]) => ({
    command: command.replaceAll(String.raw`\n`, "\n").replaceAll(String.raw`\t`, "\t"),
    answer: bytes ?? error!,
  }));
}

/** Rows by the first character that is no blank. */
const firstOf = ({ command }: Row): string => command.trim().slice(0, 1);
const AGING = rows().filter((row) => firstOf(row) !== "-");
/** Eviction is not part of this package yet; these rows wait for it. */
const EVICTION = rows().filter((row) => firstOf(row) === "-");

/** Writes the command as it would be at this moment. @returns the answer in the table's words */
function answerOf(m: Machine, { command }: Row): string {
  const { maxSeq } = m.lruvec.lrugen;
  const text = command
    .replaceAll("$ID", String(m.memcg.id))
    .replaceAll(/\$MAX(?:([+-]\d)(?!\d))?/g, (_, offset) => String(maxSeq + Number(offset ?? 0)));
  const result = m.write(text);
  return result < 0 ? errnoName(-result) : String(result);
}

/** A memcg with eight faulted pages, as in the recording. */
function boot(): Machine {
  const m = new Machine();
  for (let i = 0; i < 8; i++) m.add(m.folio(PG_SWAPBACKED | PG_REFERENCED));
  return m;
}

describe("the recorded table", () => {
  test("is whole: 61 rows, ten of them about eviction", () => {
    expect(rows()).toHaveLength(61);
    expect(EVICTION.map(({ command }) => command)).toEqual([
      "- $ID 0 0",
      "- $ID 0 $MAX",
      "- $ID 0 $MAX-1",
      "- $ID 0 $MAX-2",
      "- $ID 0 $MAX-2 60",
      "- $ID 0 $MAX-2 60 0",
      "- $ID 0 $MAX-2 60 -1",
      "- $ID 0 $MAX-2 200 1",
      "- $ID 0 $MAX-2 202 1",
      "- $ID 0 $MAX-3 200 1",
    ]);
  });

  test("is answered alike, one command after the other (CMD-01..CMD-07)", () => {
    const m = boot();
    expect(AGING).toHaveLength(51);
    expect(AGING.map((row) => ({ ...row, answer: answerOf(m, row) }))).toEqual(AGING);
  });

  test("what is refused ages nothing, but for the commands before it in the same write (CMD-02)", () => {
    const m = boot();
    const { lrugen } = m.lruvec;
    const aged = AGING.map((row) => {
      const before = lrugen.maxSeq;
      answerOf(m, row);
      return { ...row, aged: lrugen.maxSeq - before };
    });
    const unlike = aged.filter((row) => row.aged !== (row.answer === "EINVAL" ? 0 : 1));
    expect(unlike.map(({ command, aged: generations }) => [command, generations])).toEqual([
      ["+ 1 0 3", 0],
      ["+ $ID 0 $MAX, + $ID 0 $MAX", 2],
      ["+ $ID 0 $MAX; + $ID 0 $MAX+1", 2],
      ["+ $ID 0 $MAX\n+ $ID 0 $MAX+1\n", 2],
      ["+ $ID 0 $MAX; bad", 1],
    ]);
  });
});

/** Written in this order to a fresh memcg; what the same kernel answered. */
const UNUSUAL: readonly Row[] = [
  { command: "+ 18446744073709551644 0 $MAX", answer: "EINVAL" },
  { command: "+ 18446744073709551616 0 $MAX", answer: "EINVAL" },
  { command: "+ $ID 4294967296 $MAX", answer: "17" },
  { command: "+ $ID 0 18446744073709551616", answer: "EINVAL" },
  { command: "+ $ID 0 18446744073709551619", answer: "EINVAL" },
  { command: "+ $ID 0 18446744073709551615", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX 60 18446744073709551616", answer: "32" },
  { command: "+ 28 0 $MAX", answer: "8" },
  { command: "+ $ID 0 $MAX 1000", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX 4294967356", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX 60 0x1", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX 60 -1", answer: "EINVAL" },
  { command: "+ +$ID 0 $MAX", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX +60", answer: "12" },
  { command: "+\t$ID  0\t\t$MAX 60", answer: "13" },
  { command: "+ $ID 0 $MAX 60 1 x", answer: "EINVAL" },
  { command: "+ $ID 0 0x3", answer: "EINVAL" },
  { command: "+ $ID 0 3;+ $ID 0 4, + $ID 0 5", answer: "27" },
  { command: "+ $ID 0 03", answer: "9" },
  { command: "+ 00$ID 0 3", answer: "10" },
  { command: "+ $ID 0 3.", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX60", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX 0b11", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX 08", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX 0x", answer: "EINVAL" },
  { command: "+ $ID 0 $MAX 60 00000000000000000000001", answer: "36" },
  { command: "+ $ID 0 00000000000000000000000000003", answer: "36" },
];

describe("numbers out of range and unusual spellings", () => {
  test("64-bit numbers stop at the largest, the node wraps, words are read as far as they go (CMD-03, CMD-04)", () => {
    const m = boot();
    expect(UNUSUAL.map((row) => ({ ...row, answer: answerOf(m, row) }))).toEqual(UNUSUAL);
    expect(m.lruvec.lrugen.maxSeq).toBe(15);
  });
});
