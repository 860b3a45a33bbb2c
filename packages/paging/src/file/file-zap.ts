import type { Cpu } from "@lrugen/hardware";
import type { FileMapping } from "@lrugen/mm-core";

/** Unmapping of a file's pages from wherever they are mapped (mm/memory.c:unmap_mapping_pages). */
export interface FileZap {
  /**
   * Empties the entries of every mapping of pages [firstPage, endPage) of a file, private copies of
   * them included, and drops their references.
   */
  zapRange(cpu: Cpu, file: FileMapping, firstPage: number, endPage: number): void;
}
