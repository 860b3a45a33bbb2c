import type { Cpu } from "@lrugen/hardware";
import type { FileMapping } from "@lrugen/mm-core";
import type { FileZap } from "../file/file-zap.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import type { Zap } from "./zap.ts";

/**
 * Takes pages of a file out of every address space that maps them, as truncation needs it. The VMAs
 * stay; accesses beyond the new end find nothing.
 * Source: mm/memory.c:unmap_mapping_pages, zap_vma_range_batched.
 */
export class UnmapFile implements FileZap {
  private readonly zap: Zap;

  constructor(zap: Zap) {
    this.zap = zap;
  }

  zapRange(cpu: Cpu, file: FileMapping, firstPage: number, endPage: number): void {
    for (const vma of file.vmas) {
      const start = Math.max(vma.start, vma.start + (firstPage - vma.pgoff));
      const end = Math.min(vma.end, vma.start + (endPage - vma.pgoff));
      if (start >= end) continue;
      invalidateStart(vma.mm, start, end);
      this.zap.range(cpu, vma, start, end, false);
      invalidateEnd(vma.mm, start, end);
      this.zap.finish(cpu);
    }
  }
}
