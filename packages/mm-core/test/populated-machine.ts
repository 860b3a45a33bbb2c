import { type Memcg, PG_ACTIVE, PG_SWAPBACKED, PG_UNEVICTABLE } from "../src/index.ts";
import { checkAllocator, checkLists, checkLruvecs } from "../src/check/index.ts";
import { type ListMachine, listMachine, TWO_NODES } from "./machine.ts";

/** A machine with a folio in each state that checkers tell apart. Folios are in zone Normal. */
export interface PopulatedMachine extends ListMachine {
  /** Its lruvecs use the classic lists; the root's use generations. */
  readonly a: Memcg;
  /** On the generation before the youngest. */
  readonly anon: number;
  /** On the same generation list as `anon`, on its cold side. */
  readonly coldAnon: number;
  readonly file: number;
  /** 16 pages of anon memory. */
  readonly large: number;
  /** On an old generation list, flagged as of the youngest generation. */
  readonly updated: number;
  readonly active: number;
  readonly inactive: number;
  readonly unevictable: number;
  /** In a batch or isolated: on no LRU. */
  readonly offLru: number;
}

/** @throws Error when a checker finds anything: tests then corrupt one thing at a time */
export function populatedMachine(): PopulatedMachine {
  const machine = listMachine(TWO_NODES);
  const { memory, generations, onLru } = machine;
  const a = memory.createMemcg(memory.root, 2, "a");
  for (const { lrugen } of a.lruvecs) lrugen.enabled = false;
  const coldAnon = onLru(PG_SWAPBACKED);
  const anon = onLru(PG_SWAPBACKED);
  const file = onLru(0);
  const large = onLru(PG_SWAPBACKED, 4);
  generations.backOff = 3;
  const updated = onLru(PG_SWAPBACKED);
  generations.updateGen(memory.lruvecOf(updated), updated);
  generations.backOff = 1;
  const active = onLru(PG_ACTIVE, 0, a);
  const inactive = onLru(PG_SWAPBACKED, 2, a);
  const unevictable = onLru(PG_UNEVICTABLE, 3);
  const offLru = memory.allocFolio(0, a);
  const found = [
    ...checkLists(memory),
    ...checkAllocator(memory),
    ...checkLruvecs(memory, { quiescent: true }),
  ];
  if (found.length > 0) throw new Error(found.join("\n"));
  return {
    ...machine,
    a,
    anon,
    coldAnon,
    file,
    large,
    updated,
    active,
    inactive,
    unevictable,
    offLru,
  };
}

/** The rules that lines of a checker name, each once, sorted. */
export function rulesOf(lines: readonly string[]): string[] {
  return [...new Set(lines.map((line) => line.split(":")[0]!.split(" ")[0]!))].toSorted();
}
