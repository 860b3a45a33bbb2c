import type { Cpu } from "@lrugen/hardware";
import type { FileMapping, OpenFile, Task } from "@lrugen/mm-core";
import { FileIo } from "../src/file/file-io.ts";
import { Charge } from "../src/charge/charge.ts";
import { Filemap } from "../src/file/filemap.ts";
import { Swap } from "../src/swap/swap.ts";
import { folioText } from "./describe-file.ts";
import { createMachine, type Machine } from "./machine.ts";

const PAGE = 4096;

/** A machine with one file and descriptors of it. */
export interface FileMachine extends Machine {
  readonly io: FileIo;
  readonly file: FileMapping;
  readonly task0: Task;
  readonly fd: OpenFile;
  /** Ranges of pages that were unmapped: `first..end`. */
  readonly zapped: string[];
  /** `count` reads of one page each from page `first` on. @returns what they added, as folioText */
  readonly read: (first: number, count?: number, fd?: OpenFile) => string;
  /** One read of `pages` pages. @returns as read() */
  readonly readOnce: (first: number, pages: number, fd?: OpenFile) => string;
  /** `count` writes of one page each. @returns as read() */
  readonly write: (first: number, count?: number) => string;
  /** What was added since the last time, as folioText. */
  readonly added: () => string;
}

/** @param pages pages of the file; @param memoryPages memory of the machine */
export function createFileMachine(pages: number, memoryPages = 4096): FileMachine {
  const machine = createMachine(memoryPages);
  const { memory, batches } = machine;
  const zapped: string[] = [];
  const charge = new Charge(memory);
  const filemap = new Filemap(memory, charge);
  const zap = {
    zapRange: (_cpu: Cpu, _file: FileMapping, first: number, end: number) =>
      void zapped.push(`${first}..${end}`),
  };
  const io = new FileIo(memory, filemap, zap, new Swap(memory, filemap, charge).shmem);
  const file = memory.createFile({ name: "F", pages });
  const task0 = machine.task();
  const fd = io.open(file);
  const added = (): string =>
    batches
      .take()
      .filter((call) => call.startsWith("add "))
      .map((call) => folioText(memory, Number(call.slice(4))))
      .join(" ");
  const read = (first: number, count = 1, from = fd): string => {
    for (let page = first; page < first + count; page++) {
      const got = io.read.read(task0, from, page * PAGE, PAGE);
      if (got !== PAGE) throw new Error(`read of page ${page} returned ${got}`);
    }
    return added();
  };
  const readOnce = (first: number, count: number, from = fd): string => {
    io.read.read(task0, from, first * PAGE, count * PAGE);
    return added();
  };
  const write = (first: number, count = 1): string => {
    for (let page = first; page < first + count; page++) {
      io.write.write(task0, fd, page * PAGE, PAGE);
    }
    return added();
  };
  return { ...machine, io, file, task0, fd, zapped, read, readOnce, write, added };
}
