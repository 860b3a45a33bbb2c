import type { Cpu } from "@lrugen/hardware";
import { EINVAL, type FileMapping } from "@lrugen/mm-core";
import type { FileZap } from "./file-zap.ts";
import type { Invalidate } from "./invalidate.ts";

/**
 * Files that become shorter, or vanish.
 * Source: PGC-02; mm/truncate.c:truncate_pagecache.
 */
export class Truncate {
  private readonly invalidate: Invalidate;
  private readonly zap: FileZap;

  constructor(invalidate: Invalidate, zap: FileZap) {
    this.invalidate = invalidate;
    this.zap = zap;
  }

  /**
   * ftruncate(): the file has `pages` pages now. Those beyond are unmapped everywhere and dropped,
   * dirty or not; an access to one through a mapping is a SIGBUS, and a read ends before it.
   * @returns 0, or −EINVAL for a negative size
   */
  truncate(cpu: Cpu, file: FileMapping, pages: number): number {
    if (pages < 0) return -EINVAL;
    const before = file.pages;
    file.pages = pages;
    if (pages >= before) return 0;
    this.zap.zapRange(cpu, file, pages, before);
    const first = this.invalidate.firstDropped(file, pages);
    if (first < pages) this.zap.zapRange(cpu, file, first, pages);
    this.invalidate.all(cpu, file, first);
    return 0;
  }

  /** The file vanishes under its users: it is empty, and stays so. */
  vanish(cpu: Cpu, file: FileMapping): void {
    this.truncate(cpu, file, 0);
    file.gone = true;
  }
}
