import { type FileMapping, type Memory, OpenFile, type Task } from "@lrugen/mm-core";
import { Flusher } from "../writeback/flusher.ts";
import { Writeback } from "../writeback/writeback.ts";
import type { ShmemSwap } from "../swap/shmem-swap.ts";
import { Fadvise } from "./fadvise.ts";
import type { FileZap } from "./file-zap.ts";
import type { Filemap } from "./filemap.ts";
import { Invalidate } from "./invalidate.ts";
import { FileRead } from "./read.ts";
import { Readahead } from "./readahead.ts";
import { Truncate } from "./truncate.ts";
import { FileWrite } from "./write.ts";

/** Everything a program does to files through descriptors, and the thread that writes them back. */
export class FileIo {
  readonly filemap: Filemap;
  readonly readahead: Readahead;
  readonly writeback: Writeback;
  readonly flusher: Flusher;
  readonly read: FileRead;
  readonly write: FileWrite;
  readonly fadvise: Fadvise;
  readonly truncate: Truncate;

  constructor(memory: Memory, filemap: Filemap, zap: FileZap, shmem: ShmemSwap) {
    const invalidate = new Invalidate(memory, filemap, shmem);
    this.filemap = filemap;
    this.readahead = new Readahead(memory, filemap);
    this.writeback = new Writeback(memory, filemap);
    this.flusher = new Flusher(memory, this.writeback);
    this.read = new FileRead(memory, filemap, this.readahead);
    this.write = new FileWrite(memory, filemap);
    this.fadvise = new Fadvise(memory, this.readahead, this.writeback, invalidate);
    this.truncate = new Truncate(invalidate, zap);
  }

  /** open(): a descriptor with a readahead window of its own. */
  open(file: FileMapping): OpenFile {
    return new OpenFile(file);
  }

  /**
   * fsync(): what is dirty is on the device when it returns.
   * @returns 0
   */
  fsync(task: Task, openFile: OpenFile): number {
    this.writeback.file(task.cpu, openFile.mapping);
    return 0;
  }
}
