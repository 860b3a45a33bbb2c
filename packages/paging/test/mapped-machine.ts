import {
  type FileMapping,
  type Mm,
  type OpenFile,
  type Task,
  VM_READ,
  VM_SHARED,
} from "@lrugen/mm-core";
import { checkFileFolios, checkMappings } from "../src/check/index.ts";
import { Charge } from "../src/charge/charge.ts";
import { Filemap } from "../src/file/filemap.ts";
import { pteString } from "./describe-mm.ts";
import { BASE, createMachine, type Machine, READ_WRITE, touch } from "./machine.ts";

/** Ways to map a file or shared memory. */
export const SHARED: number = READ_WRITE | VM_SHARED;
export const PRIVATE: number = READ_WRITE;
export const READ_ONLY: number = VM_READ | VM_SHARED;

/** A machine with one file, mapped at BASE by one task. */
export interface MappedMachine extends Machine {
  readonly file: FileMapping;
  readonly task0: Task;
  /** What the mapping reads through. */
  readonly openFile: OpenFile;
  /** Accesses `count` pages from page `first` on; `who` is task0 unless given. */
  access(first: number, count: number, kind: "r" | "w", who?: Task): void;
  /** The `pte` string of the oracle over the whole file; `who` is task0 unless given. */
  pte(who?: Task): string;
  /** [minor, major] faults; `who` is task0 unless given. */
  faults(who?: Task): [number, number];
  /** Puts folios of one order into the cache at the given pages, as a read would have. */
  cache(order: number, ...indexes: number[]): void;
  /** Everything the checkers find wrong. */
  violations(): string[];
}

/** @param pages pages of the file, mapped whole; @param flags VM_* bits of the mapping */
export function createMappedMachine(pages: number, flags: number): MappedMachine {
  const machine = createMachine();
  const { memory, paging } = machine;
  const file = memory.createFile({ name: "F", pages });
  const task0 = machine.task();
  const openFile = paging.openFile(file);
  paging.mmapFile(task0.mm as Mm, BASE, pages, flags, openFile, 0);
  return { ...machine, file, task0, openFile, ...views(machine, task0, file, pages) };
}

type Views = Omit<MappedMachine, keyof Machine | "file" | "task0" | "openFile">;

function views(machine: Machine, task0: Task, file: FileMapping, pages: number): Views {
  const { memory } = machine;
  const filemap = new Filemap(memory, new Charge(memory));
  return {
    access: (first, count, kind, who = task0) => touch(machine, who, first, count, kind),
    pte: (who = task0) => pteString(memory, who.mm as Mm, pages),
    faults: (who = task0) => [(who.mm as Mm).minorFaults, (who.mm as Mm).majorFaults],
    cache: (order, ...indexes) => {
      for (const index of indexes) filemap.add(task0, file, index, order, false);
    },
    violations: () => violationsOf(machine),
  };
}

/** What the checkers of page tables and page cache find wrong with a machine. */
export function violationsOf(machine: Machine): string[] {
  const { memory, mms, batches, paging } = machine;
  const slots = batches.slots();
  const others = (folio: number): number =>
    (slots.get(folio) ?? 0) + (folio === paging.hugeZeroFolio ? 1 : 0);
  const violations = checkMappings(memory, mms, others);
  checkFileFolios(memory, violations);
  return violations;
}
