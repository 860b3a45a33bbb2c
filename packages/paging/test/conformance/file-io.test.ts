import { type FileMapping, OpenFile } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { folioText } from "../describe-file.ts";
import { createFileMachine, type FileMachine } from "../file-machine.ts";
import { KERNEL_TRACES } from "./kernel-traces.ts";

const PAGE = 4096;

/** The cached folios of a file as the traces have them: neighbours that look the same are joined. */
function runsText({ memory }: FileMachine, file: FileMapping): string {
  const runs: { first: number; last: number; look: string }[] = [];
  for (let page = 0; page < file.leaves.length * 64;) {
    const folio = memory.pageCache.lookup(file, page);
    const pages = folio < 0 ? 1 : memory.folios.nrPagesOf(folio);
    if (folio >= 0) {
      const look = folioText(memory, folio).replace(/^\d+/, "");
      const run = runs.at(-1);
      if (run?.look === look && run.last + pages === page && !look.includes("P")) run.last = page;
      else runs.push({ first: page, last: page, look });
    }
    page += pages;
  }
  return runs
    .map(({ first, last, look }) =>
      first === last ? `${first}${look}` : `${first}-${last}${look}`,
    )
    .join(" ");
}

/** A machine that runs a trace. */
class Replay {
  private readonly machine: FileMachine = createFileMachine(1, 8192);
  private readonly files: Map<string, FileMapping> = new Map();
  private readonly descriptors: Map<string, OpenFile> = new Map();

  /** @returns the lines, those with `=` as they are here */
  lines(trace: string): string[] {
    return trace.split("\n").map((line) => {
      const [mark, name = ""] = line.split(" ");
      if (mark === "=") return `= ${name} ${runsText(this.machine, this.files.get(name)!)}`;
      for (const command of line.split("; ")) this.run(command);
      return line;
    });
  }

  private run(command: string): void {
    const { memory, task0, batches } = this.machine;
    const [verb = "", name = "", a = "", b = "", c = ""] = command.split(" ");
    if (verb === "file") this.files.set(name, memory.createFile({ name, pages: Number(a) }));
    else if (verb === "open") this.descriptors.set(name, new OpenFile(this.files.get(a)!));
    else if (verb === "drain") batches.drain(task0.cpu);
    else this.use(verb, this.descriptors.get(name)!, a, Number(b), Number(c));
  }

  /** fsync, fadvise ADVICE first count, read and pwrite first count bytes. */
  private use(verb: string, fd: OpenFile, first: string, count: number, bytes: number): void {
    const { io, task0 } = this.machine;
    if (verb === "fsync") io.fsync(task0, fd);
    else if (verb === "fadvise") {
      io.fadvise.advise(task0, fd, count * PAGE, bytes * PAGE, first);
    } else {
      for (let page = Number(first); page < Number(first) + count; page++) {
        if (verb === "read") io.read.read(task0, fd, page * PAGE, bytes);
        else io.write.write(task0, fd, page * PAGE, bytes);
      }
    }
  }
}

test.each(KERNEL_TRACES.map((trace, number) => ({ trace, number })))(
  "kernel trace $number: the page cache is the kernel's after every line (FIO-10..20, ADD-14, PGC-05)",
  ({ trace }) => {
    expect(new Replay().lines(trace)).toEqual(trace.split("\n"));
  },
);
