import type { AnonVma } from "./anon-vma.ts";
import type { Memcg } from "../memcg/memcg.ts";
import type { Mm } from "./mm.ts";
import { VM_RAND_READ, VM_SEQ_READ } from "./vma-flags.ts";

/** What a VMA needs to know of the file it maps. */
export interface MappedFile {
  /** Number of the file, from 1; FolioTable.mapping holds twice it. */
  readonly id: number;
  /** Shared memory: PG_SWAPBACKED, anon type (CONV-05). */
  readonly shmem: boolean;
  /** Opened or advised NOREUSE: mappings have no recency (VMA-04). */
  readonly noReuse: boolean;
  /** Mapping marked unevictable (SHM_LOCK). */
  readonly unevictable: boolean;
  /** The file system can read folios; false for DAX and the like (VMA-13). */
  readonly readFolio: boolean;
}

/**
 * A virtual memory area: pages [start, end) of one address space.
 * Source: chapter 3.5; include/linux/mm_types.h:struct vm_area_struct.
 */
export class Vma {
  readonly mm: Mm;
  /** First virtual page number. */
  start: number;
  /** One past the last virtual page number. */
  end: number;
  /** VM_* bits. */
  flags: number;
  readonly file: MappedFile | null;
  /** Page of the file that `start` maps; for anon memory, `start` at creation. */
  pgoff: number;
  /** Own anon_vma once an anonymous folio was mapped here, and those inherited by fork. */
  anonVma: AnonVma | null = null;
  readonly anonVmaChain: AnonVma[] = [];
  /** Bytes charged for it and what hangs on it, and the memcg that pays (CHG-40). */
  kernelBytes = 0;
  kernelMemcg: Memcg | null = null;

  constructor(
    mm: Mm,
    start: number,
    end: number,
    flags: number,
    file: MappedFile | null = null,
    pgoff: number = start,
  ) {
    this.mm = mm;
    this.start = start;
    this.end = end;
    this.flags = flags;
    this.file = file;
    this.pgoff = pgoff;
  }

  /** vma_is_anonymous(): no file behind it. Private file mappings are not anonymous (WALK-02). */
  get isAnonymous(): boolean {
    return this.file === null;
  }

  /** vma_has_recency(): accesses through this mapping say something (VMA-12, REF-05). */
  get hasRecency(): boolean {
    return (this.flags & (VM_SEQ_READ | VM_RAND_READ)) === 0 && this.file?.noReuse !== true;
  }

  /** Whether `other` begins where this ends and both could be one VMA. */
  canMergeWith(other: Vma): boolean {
    return (
      this.end === other.start &&
      this.flags === other.flags &&
      this.file === other.file &&
      this.pgoff + (this.end - this.start) === other.pgoff &&
      (this.anonVma === other.anonVma || this.anonVma === null || other.anonVma === null)
    );
  }
}
