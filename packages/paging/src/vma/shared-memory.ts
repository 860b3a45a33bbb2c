import type { Cpu } from "@lrugen/hardware";
import { type FileMapping, type Memory, OpenFile, type Vma } from "@lrugen/mm-core";
import type { Truncate } from "../file/truncate.ts";
import { openFileOf } from "./file-vmas.ts";

/**
 * The files behind MAP_SHARED | MAP_ANONYMOUS. They have no name to open them by, so each is gone,
 * with all its pages, when the last mapping is.
 * Source: PGC-03; mm/shmem.c:shmem_zero_setup, shmem_evict_inode.
 */
export class SharedMemory {
  private readonly memory: Memory;
  private readonly truncate: Truncate;
  private readonly files = new Set<FileMapping>();

  constructor(memory: Memory, truncate: Truncate) {
    this.memory = memory;
    this.truncate = truncate;
  }

  /** A file of `pages` pages, all of them zeroes that no folio holds yet. */
  create(pages: number): OpenFile {
    const file = this.memory.createFile({ name: "dev/zero", pages, shmem: true });
    this.files.add(file);
    const openFile = new OpenFile(file);
    openFile.users = 0; // its VMAs alone hold it
    return openFile;
  }

  /** The VMAs are gone, and their files have forgotten them: drops the files nobody maps any more. */
  release(cpu: Cpu, vmas: readonly Vma[]): void {
    for (const vma of vmas) {
      if (vma.file === null) continue;
      const file = openFileOf(vma).mapping;
      if (file.vmas.length > 0 || !this.files.delete(file)) continue;
      this.truncate.vanish(cpu, file);
      this.memory.files[file.id] = null;
    }
  }
}
