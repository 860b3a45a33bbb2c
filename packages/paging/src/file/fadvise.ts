import { EINVAL, type FileMapping, type Memory, type OpenFile, type Task } from "@lrugen/mm-core";
import type { Writeback } from "../writeback/writeback.ts";
import type { Invalidate } from "./invalidate.ts";
import type { Readahead } from "./readahead.ts";

const PAGE_SIZE = 4096;

/** Names of the POSIX_FADV_* advices, by their numbers. */
export const FILE_ADVICES: readonly string[] = [
  "normal",
  "random",
  "sequential",
  "willneed",
  "dontneed",
  "noreuse",
];

/**
 * posix_fadvise().
 * Source: PGC-05, FIO-18, VMA-04; mm/fadvise.c:generic_fadvise.
 */
export class Fadvise {
  private readonly memory: Memory;
  private readonly readahead: Readahead;
  private readonly writeback: Writeback;
  private readonly invalidate: Invalidate;

  constructor(memory: Memory, readahead: Readahead, writeback: Writeback, invalidate: Invalidate) {
    this.memory = memory;
    this.readahead = readahead;
    this.writeback = writeback;
    this.invalidate = invalidate;
  }

  /**
   * @param bytes 0 = to the end of the file
   * @param advice one of FILE_ADVICES
   * @returns 0, or −EINVAL for another advice or a negative position or length; shared memory takes
   *   any advice and heeds none
   */
  advise(task: Task, openFile: OpenFile, firstByte: number, bytes: number, advice: string): number {
    if (firstByte < 0 || bytes < 0 || !FILE_ADVICES.includes(advice)) return -EINVAL;
    if (openFile.mapping.shmem) return 0;
    const endByte = bytes === 0 ? Infinity : firstByte + bytes;
    if (advice === "willneed") this.willNeed(task, openFile, firstByte, endByte);
    else if (advice === "dontneed") this.dontNeed(task, openFile.mapping, firstByte, endByte);
    else if (advice === "noreuse") openFile.noReuse = true;
    else this.setPattern(openFile, advice);
    return 0;
  }

  private setPattern(openFile: OpenFile, advice: string): void {
    openFile.random = advice === "random";
    if (advice === "normal") openFile.noReuse = false;
    if (advice === "normal") openFile.raPages = openFile.deviceRaPages;
    if (advice === "sequential") openFile.raPages = openFile.deviceRaPages * 2;
  }

  private willNeed(task: Task, openFile: OpenFile, firstByte: number, endByte: number): void {
    const first = Math.floor(firstByte / PAGE_SIZE);
    const end = Math.min(Math.ceil(endByte / PAGE_SIZE), openFile.mapping.pages);
    if (end > first) this.readahead.force(task, openFile, first, end - first);
  }

  /**
   * Writes the range and drops the folios that lie in it whole. When some could not be dropped, a
   * batch of another CPU may be why: all are drained, and it is tried once more.
   */
  private dontNeed(task: Task, file: FileMapping, firstByte: number, endByte: number): void {
    const { batches } = this.memory;
    const toEnd = endByte >= file.pages * PAGE_SIZE;
    const written = toEnd ? Infinity : Math.ceil(endByte / PAGE_SIZE);
    this.writeback.range(task.cpu, file, Math.floor(firstByte / PAGE_SIZE), written);
    const first = Math.ceil(firstByte / PAGE_SIZE);
    const end = toEnd ? Infinity : Math.floor(endByte / PAGE_SIZE);
    if (end <= first) return;
    batches.drain(task.cpu);
    if (this.invalidate.unused(task.cpu, file, first, end) === 0) return;
    batches.drainAll(task.cpu);
    this.invalidate.unused(task.cpu, file, first, end);
  }
}
